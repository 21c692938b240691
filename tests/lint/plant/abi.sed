# SPDX-License-Identifier: MIT
# finds: ^< .* 80 .* uint64_t staged_ns
s/uint32_t staged_ns/&/
s/uint64_t staged_ns;/uint64_t staged_ns, more_ns;/

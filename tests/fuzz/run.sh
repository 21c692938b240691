#!/bin/bash
# SPDX-License-Identifier: MIT
# Let a fuzz target run that was built (make fuzz): tests/fuzz/run.sh runner [SECONDS [ARG...]]
#
# The corpus is tests/fuzz/corpus/TARGET; what is found on the way stays in O/fuzz/TARGET, and what
# makes the target fail in O/fuzz/artifacts. Exit status 0: nothing was found.
set -eu
cd "$(dirname "$0")/../.."
target=$1
seconds=${2:-60}
shift $(($# < 2 ? $# : 2))
out=$(realpath -m "${O:-build}")/fuzz

# The ioctls are fuzzed by a program of its own, in the VM: TSR_FUZZ_VARIANT=kcov with the kernel
# that tells where calls lead (make module-kcov), race with the one for data races, else with
# Debian's. TSR_FUZZ_CALLS ends it earlier, TSR_FUZZ_THREADS is for races.
if [ "$target" = ioctl ]; then
	kernel=(--checks)
	[ -z "${TSR_FUZZ_VARIANT:-}" ] || kernel=(--variant "$TSR_FUZZ_VARIANT")
	own=$out/ioctl${TSR_FUZZ_VARIANT:+-$TSR_FUZZ_VARIANT}
	mkdir -p "$own"
	exec tests/vm/run --build "$(dirname "$out")" --share "$own" "${kernel[@]}" --strict \
		--timeout $((seconds + 300)) --log "$own.log" -- \
		"$(dirname "$out")/tests/fuzz/ioctl" --seconds "$seconds" --out "$own" \
		--calls "${TSR_FUZZ_CALLS:-1000000000}" --threads "${TSR_FUZZ_THREADS:-1}" \
		--corpus "$PWD/tests/fuzz/corpus/ioctl" "$@"
fi
mkdir -p "$out/$target" "$out/artifacts"

# Kernels of the tree as seeds: the bytes that go into an image slot, behind a header that says all
# cores and processors, three words. The place is that of the first processor in the target's grid.
kernels() {
	local f name
	mkdir -p "$out/device-seeds"
	for f in tests/lib/device/*.c tests/selftests/kernels/*.c examples/*/kernels/*.c; do
		name=$(basename "$(dirname "$(dirname "$f")")")-$(basename "$f" .c)
		for proc in 0 2; do
			clang --target=riscv32-unknown-elf -march=rv32im -mabi=ilp32 -mcmodel=medany \
				-std=gnu11 -Os -ffreestanding -ffunction-sections -fdata-sections \
				-Ilib/device -Iuapi -iquote"$(dirname "$f")" -DTSR_KERNEL_PROC=$proc \
				-fuse-ld=lld -nostdlib -static -Wl,-T,lib/device/tessera.ld \
				-Wl,--gc-sections -Wl,--defsym=__image_base=0x101000 \
				-Wl,--defsym=__image_size=0x2000 \
				-o "$out/kernel.elf" "$f" lib/device/crt0.c 2>/dev/null || continue
			objcopy -I elf32-little -O binary "$out/kernel.elf" "$out/kernel.bin"
			{ printf '\007\003\001\000'; cat "$out/kernel.bin"; } \
				>"$out/device-seeds/$name-$proc"
		done
	done
}

seeds=()
if [ "$target" = device ]; then
	kernels
	seeds=("$out/device-seeds")
fi

exec "$(dirname "$out")/tests/fuzz/$target" -max_total_time="$seconds" -rss_limit_mb=4096 -timeout=20 \
	-artifact_prefix="$out/artifacts/$target-" "$@" "$out/$target" "tests/fuzz/corpus/$target" \
	"${seeds[@]}"

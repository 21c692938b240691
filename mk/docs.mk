# SPDX-License-Identifier: MIT
# The manual: pages of Documentation/ and what kernel-doc finds in the headers, as HTML.

KERNEL_DOC := $(firstword $(wildcard /usr/lib/linux-kbuild-6.12*/scripts/kernel-doc))
# tessera_grid.h is constants only: Documentation/device.rst explains them.
DOC_HEADERS := uapi/drm/tessera_accel.h uapi/drm/tessera_blob.h kernel/drv/hw.h \
	$(filter-out %/tessera.h,$(wildcard lib/include/tessera/*.h))
DOC_API := $(patsubst %.h,$(O)/docs/src/api/%.rst,$(notdir $(DOC_HEADERS)))
# In this order: some headers of the driver have the names of public ones.
vpath %.h lib/include/tessera uapi/drm kernel/drv

# A struct and a function of one name are two things; Sphinx of Debian 12 takes them for one.
DOC_HARMLESS := 'Duplicate C declaration|^Declaration is|^$$'

.PHONY: docs
docs: $(DOC_API)
	$(Q)cp -ru Documentation/. $(O)/docs/src/
	$(Q)sphinx-build -q -E -b html -D release=$(VERSION) -w $(O)/docs/warnings \
		-d $(O)/docs/trees $(O)/docs/src $(O)/docs/html 2>$(O)/docs/log
	$(Q)if grep -vE $(DOC_HARMLESS) $(O)/docs/warnings; then exit 1; fi
	@echo "  DOCS    $(O)/docs/html/index.html"

$(O)/docs/src/api/%.rst: %.h $(MK)
	$(MKDIR)
	$(Q)printf '%s\n' '$*.h' | tee $@ | sed 's/./=/g' >$@.line
	$(Q)cat $@.line >>$@ && rm $@.line
	$(Q)printf '\n' >>$@
	$(Q)$(KERNEL_DOC) -Werror -rst $< >>$@

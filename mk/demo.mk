# SPDX-License-Identifier: MIT
# The demo: three examples on /dev/accel/accel0 in the VM, as a user of group render. The picture
# is a photograph (public domain, by Jon Sullivan) that the package libsixel-examples ships.

.PHONY: demo picture
DEMO_PICTURE := $(O)/demo/picture.ppm
picture: $(DEMO_PICTURE)

$(DEMO_PICTURE): dist/picture.sh
	$(MKDIR)
	$(call say,PICTURE,$@)dist/picture.sh $@

demo: all $(DEMO_PICTURE)
	$(Q)rm -f $(O)/demo/filtered.ppm $(O)/demo/filtered.png
	$(Q)tests/vm/run --build $(OBS) --user --strict --timeout 240 --share $(OBS)/demo \
		--images $(OBS)/vm/images --log $(OBS)/vm/demo.log -- tests/demo $(OBS)/demo

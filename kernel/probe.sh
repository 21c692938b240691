#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Find out what the kernel offers by compiling, never by its version, and write tsr_compat.h:
# one "#define TSR_HAVE_NAME 1" for every probe that compiles. A probe is a name, the headers it
# needs, and one function body.
#
# usage: probe.sh KDIR WORKDIR OUTPUT
set -euo pipefail

unset MAKEFLAGS MFLAGS MAKEOVERRIDES
[ $# = 3 ] || {
	echo 'usage: probe.sh KDIR WORKDIR OUTPUT' >&2
	exit 2
}
kdir=$1 work=$2 out=$3
names=()

probe() { # NAME COMMENT, source on standard input
	names+=("$1")
	comments[${#names[@]} - 1]=$2
	cat >"$work/$1.c"
}

comments=()
# Only what an earlier call made is removed.
[ ! -e "$work" ] || [ -e "$work/SANITY.c" ] || {
	echo "probe.sh: $work is there, and was not made by probe.sh" >&2
	exit 1
}
rm -rf "$work"
mkdir -p "$work"
work=$(cd "$work" && pwd)

probe SANITY 'not a feature: must always compile' <<-'EOF'
	#include <linux/module.h>
	#include <drm/drm_drv.h>
	#include <drm/drm_accel.h>
	#include <drm/drm_gem_shmem_helper.h>
	int tsr_probe(struct drm_device *drm);
	int tsr_probe(struct drm_device *drm) { return drm_dev_register(drm, 0); }
EOF

probe NEVER 'not a feature: must never compile' <<-'EOF'
	#include <linux/module.h>
	int tsr_probe(void);
	int tsr_probe(void) { return tsr_no_such_function(); }
EOF

probe IMPORT_NS_BARE 'MODULE_IMPORT_NS() takes a bare name, not a string' <<-'EOF'
	#include <linux/module.h>
	MODULE_IMPORT_NS(DMA_BUF);
EOF

probe GEM_VMAP_UNLOCKED 'drm_gem_vmap_unlocked() and drm_gem_vunmap_unlocked()' <<-'EOF'
	#include <drm/drm_gem.h>
	int tsr_probe(struct drm_gem_object *gem, struct iosys_map *map);
	int tsr_probe(struct drm_gem_object *gem, struct iosys_map *map)
	{
		drm_gem_vunmap_unlocked(gem, map);
		return drm_gem_vmap_unlocked(gem, map);
	}
EOF

probe GEM_SHMEM_LOCKED 'drm_gem_shmem_vmap_locked() and its like' <<-'EOF'
	#include <drm/drm_gem_shmem_helper.h>
	int tsr_probe(struct drm_gem_shmem_object *shmem, struct iosys_map *map);
	int tsr_probe(struct drm_gem_shmem_object *shmem, struct iosys_map *map)
	{
		return drm_gem_shmem_vmap_locked(shmem, map);
	}
EOF

probe DRM_DRIVER_DATE 'struct drm_driver has a date' <<-'EOF'
	#include <drm/drm_drv.h>
	extern const struct drm_driver tsr_probe;
	const struct drm_driver tsr_probe = { .date = "" };
EOF

probe DRM_EXEC 'drm_exec' <<-'EOF'
	#include <drm/drm_exec.h>
	void tsr_probe(struct drm_exec *exec);
	void tsr_probe(struct drm_exec *exec) { drm_exec_init(exec, 0, 0); }
EOF

probe FAUX_DEVICE 'the faux bus' <<-'EOF'
	#include <linux/device/faux.h>
	struct faux_device *tsr_probe(void);
	struct faux_device *tsr_probe(void) { return faux_device_create("tessera", NULL, NULL); }
EOF

probe PLATFORM_REMOVE_VOID 'platform_driver.remove returns nothing' <<-'EOF'
	#include <linux/platform_device.h>
	static void tsr_remove(struct platform_device *pdev) { }
	extern struct platform_driver tsr_probe;
	struct platform_driver tsr_probe = { .remove = tsr_remove };
EOF

probe DRMM_ORDERED_WORKQUEUE 'drmm_alloc_ordered_workqueue()' <<-'EOF'
	#include <drm/drm_managed.h>
	struct workqueue_struct *tsr_probe(struct drm_device *drm);
	struct workqueue_struct *tsr_probe(struct drm_device *drm)
	{
		return drmm_alloc_ordered_workqueue(drm, "tessera", 0);
	}
EOF

probe COPY_STRUCT_TO_USER 'copy_struct_to_user()' <<-'EOF'
	#include <linux/uaccess.h>
	int tsr_probe(void __user *to, const void *from);
	int tsr_probe(void __user *to, const void *from)
	{
		return copy_struct_to_user(to, 8, from, 8, NULL);
	}
EOF

probe WEDGED_EVENT 'drm_dev_wedged_event()' <<-'EOF'
	#include <drm/drm_drv.h>
	#include <drm/drm_device.h>
	int tsr_probe(struct drm_device *drm);
	int tsr_probe(struct drm_device *drm) { return drm_dev_wedged_event(drm, 0, NULL); }
EOF

probe HRTIMER_SETUP 'hrtimer_setup()' <<-'EOF'
	#include <linux/hrtimer.h>
	void tsr_probe(struct hrtimer *timer, enum hrtimer_restart (*fn)(struct hrtimer *));
	void tsr_probe(struct hrtimer *timer, enum hrtimer_restart (*fn)(struct hrtimer *))
	{
		hrtimer_setup(timer, fn, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	}
EOF

probe TIMER_DELETE_SYNC 'timer_delete_sync()' <<-'EOF'
	#include <linux/timer.h>
	int tsr_probe(struct timer_list *timer);
	int tsr_probe(struct timer_list *timer) { return timer_delete_sync(timer); }
EOF

probe TIMER_CONTAINER_OF 'timer_container_of()' <<-'EOF'
	#include <linux/timer.h>
	struct tsr_t { struct timer_list timer; };
	struct tsr_t *tsr_probe(struct timer_list *t);
	struct tsr_t *tsr_probe(struct timer_list *t)
	{
		struct tsr_t *obj = timer_container_of(obj, t, timer);

		return obj;
	}
EOF

probe FD_FILE 'fd_file()' <<-'EOF'
	#include <linux/file.h>
	struct file *tsr_probe(struct fd f);
	struct file *tsr_probe(struct fd f) { return fd_file(f); }
EOF

probe DMA_FENCE_SIGNALED_BOOL 'dma_fence_check_and_signal()' <<-'EOF'
	#include <linux/dma-fence.h>
	bool tsr_probe(struct dma_fence *fence);
	bool tsr_probe(struct dma_fence *fence) { return dma_fence_check_and_signal(fence); }
EOF

probe HRTIMER_SETUP 'hrtimer_setup()' <<-'EOF'
	#include <linux/hrtimer.h>
	void tsr_probe(struct hrtimer *timer, enum hrtimer_restart (*func)(struct hrtimer *));
	void tsr_probe(struct hrtimer *timer, enum hrtimer_restart (*func)(struct hrtimer *))
	{
		hrtimer_setup(timer, func, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	}
EOF

probe DEVCOREDUMPM 'dev_coredumpm_timeout()' <<-'EOF'
	#include <linux/devcoredump.h>
	#include <linux/module.h>
	void tsr_probe(struct device *dev);
	void tsr_probe(struct device *dev)
	{
		dev_coredumpm_timeout(dev, THIS_MODULE, NULL, 0, GFP_KERNEL, NULL, NULL, HZ);
	}
EOF

probe VM_FLAGS_SET 'vm_flags_set()' <<-'EOF'
	#include <linux/mm.h>
	void tsr_probe(struct vm_area_struct *vma);
	void tsr_probe(struct vm_area_struct *vma) { vm_flags_set(vma, VM_IO); }
EOF

{
	echo 'obj-m :='
	for name in "${names[@]}"; do
		echo "obj-m += $name.o"
	done
	echo 'ccflags-y += -Wno-missing-prototypes -Werror=implicit-function-declaration'
} >"$work/Kbuild"

# Keep going: an object that is not there is the answer. Linking them is not wanted.
make -k -j"$(nproc)" -C "$kdir" M="$work" KBUILD_MODPOST_WARN=1 modules >"$work/log" 2>&1 || true

[ -f "$work/SANITY.o" ] || {
	echo "probe.sh: nothing compiles against $kdir, see $work/log" >&2
	grep -m 5 -E 'error|Error|Stop' "$work/log" >&2 || true
	exit 1
}
[ ! -f "$work/NEVER.o" ] || {
	echo "probe.sh: everything compiles against $kdir, see $work/log" >&2
	exit 1
}

{
	echo '/* SPDX-License-Identifier: GPL-2.0-only */'
	echo '/* Written by kernel/probe.sh. */'
	echo '#ifndef TSR_COMPAT_H'
	echo '#define TSR_COMPAT_H'
	echo
	for i in "${!names[@]}"; do
		name=${names[$i]}
		case $name in SANITY | NEVER) continue ;; esac
		if [ -f "$work/$name.o" ]; then
			echo "#define TSR_HAVE_$name 1 /* ${comments[$i]} */"
		else
			echo "/* no TSR_HAVE_$name: ${comments[$i]} */"
		fi
	done
	echo
	echo '#endif'
} >"$out.new"
mv "$out.new" "$out"

// SPDX-License-Identifier: MIT
/* Runners: saving, loading, running (RN-1, RN-2). */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include "context_int.h"
#include "saved.h"
#include "submit.h"

/** struct tsr_runner - see <tessera/runner.h> */
struct tsr_runner {
	atomic_uint ref;
	struct tsr_saved *saved;
	struct tsr_operation *op;	/* on its device, or on one without a node */
};

/* ---- Saving ------------------------------------------------------------------------------- */

/* Another file beside it, which takes its name when it is complete. */
static int write_file(const char *path, const struct tsr_writer *w)
{
	uint64_t number = 0;
	char *beside;
	int fd, err;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return -EIO;
	beside = tsr_text("%s.%016llx", path, (unsigned long long)number);
	if (!beside)
		return -ENOMEM;
	fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	err = fd < 0 ? -errno : tsr_write_all(fd, w->bytes.data, w->bytes.count);
	if (!err && fsync(fd))
		err = -errno;
	if (fd >= 0 && close(fd) && !err)
		err = -errno;
	if (!err && rename(beside, path))
		err = -errno;
	if (err && fd >= 0)
		unlink(beside);
	free(beside);
	return err;
}

static int save(struct tsr_prepare *p, const char *path)
{
	struct tsr_writer w = { 0 };
	size_t size;
	void *blob;
	int err;

	p->stage = TSR_STAGE_COMPILE;
	p->diag = tsr_diag_new();
	err = tsr_program_encode(p->dev, &p->call->plan, &blob, &size, p->diag);
	if (err) {
		if (p->diag)
			tsr_diag_sort(p->diag);
		return err;
	}
	p->stage = TSR_STAGE_PROGRAM;
	tsr_saved_write(&w, p, blob, size);
	err = w.err;
	if (!err)
		err = w.bytes.count > TSR_SAVED_MAX ? -E2BIG : write_file(path, &w);
	tsr_vec_free(&w.bytes);
	free(blob);
	return err;
}

TSR_API int tsr_runner_save(struct tsr_operation *op, const struct tsr_tensor *tensors,
			    size_t tensor_count, const char *path, struct tsr_diag **reterr_diag)
{
	struct tsr_prepare p = {
		.op = op,
		.dev = op->dev,
		.tensors = tensors,
		.tensor_count = tensor_count,
		.factory = op->factory,
		.factory_ctx = op->factory_ctx,
	};
	int err = tsr_prepare(&p);

	if (!err)
		err = save(&p, path);
	tsr_prepare_fini(&p);
	if (err)
		tsr_prepare_report(&p, err, reterr_diag);
	else
		tsr_diag_free(p.diag);
	return err;
}

/* ---- Loading ------------------------------------------------------------------------------ */

static void other_device(struct tsr_diag *diag, const char *field, char *value, char *allowed)
{
	tsr_diag_note(diag, (struct tsr_note){
		.rule = TSR_RN1,
		.path = tsr_text("file"),
		.field = field,
		.value = value,
		.allowed = allowed,
		.message = tsr_text("the runner was made for another device"),
	});
}

/* Images are linked for their slots, and compiled for an ISA. */
static int check_device(const struct tsr_saved *saved, const struct tsr_device *dev,
			struct tsr_diag *diag)
{
	const struct tessera_limits *was = &saved->limits, *is = &dev->limits;
	bool used[TSR_PROCESSORS] = { false };
	int err = 0;

	if (strcmp(saved->info.isa, dev->isa)) {
		other_device(diag, "isa", tsr_text("%s", saved->info.isa),
			     tsr_text("%s", dev->isa));
		err = -EINVAL;
	}
	if (was->image_slot != is->image_slot) {
		other_device(diag, "image_slot", tsr_text("0x%x", was->image_slot),
			     tsr_text("0x%x", is->image_slot));
		err = -EINVAL;
	}
	for (size_t i = 0; i < saved->info.descriptor_count; i++)
		used[saved->info.descriptors[i].processor] = true;
	for (uint32_t i = 0; i < TSR_PROCESSORS; i++) {
		if (!used[i] || was->image_base[i] == is->image_base[i])
			continue;
		other_device(diag, "image_base", tsr_text("0x%x", was->image_base[i]),
			     tsr_text("0x%x", is->image_base[i]));
		err = -EINVAL;
	}
	return err;
}

/* Findings of the file first; then, of the device. */
static int check(struct tsr_saved *saved, struct tsr_device *dev, struct tsr_diag *diag)
{
	int err = tsr_saved_check(saved, NULL, diag), other;

	if (err || !dev)
		return err;
	err = check_device(saved, dev, diag);
	other = tsr_saved_check(saved, &dev->limits, diag);
	return err ? err : other;
}

static int make_runner(struct tsr_device *dev, struct tsr_saved *saved,
		       struct tsr_runner **ret_runner)
{
	struct tsr_runner *runner = calloc(1, sizeof(*runner));
	struct tsr_device *offline = NULL;
	int err = runner ? 0 : -ENOMEM;

	if (!err && !dev)
		err = tsr_device_new_offline(&saved->limits, &offline);
	if (!err)
		err = tsr_saved_operation(saved, dev ? dev : offline, &runner->op);
	tsr_device_unref(offline);
	if (err) {
		free(runner);
		return err;
	}
	tsr_ref_init(&runner->ref);
	runner->saved = tsr_saved_ref(saved);
	*ret_runner = runner;
	return 0;
}

/* Takes the memory over. */
static int load(struct tsr_device *dev, void *data, size_t size, struct tsr_runner **ret_runner,
		struct tsr_diag **reterr_diag)
{
	struct tsr_prepare report = { .stage = TSR_STAGE_DECLARE, .diag = tsr_diag_new() };
	struct tsr_saved *saved = NULL;
	int err = tsr_saved_parse(data, size, &saved, report.diag);

	if (!err) {
		report.stage = TSR_STAGE_VALIDATE;
		err = check(saved, dev, report.diag);
	}
	if (!err)
		err = make_runner(dev, saved, ret_runner);
	tsr_saved_unref(saved);
	if (err && report.diag)
		tsr_diag_sort(report.diag);
	if (err)
		tsr_prepare_report(&report, err, reterr_diag);
	else
		tsr_diag_free(report.diag);
	return err;
}

static int fail(int err, struct tsr_diag **reterr_diag)
{
	struct tsr_prepare report = { .stage = TSR_STAGE_DECLARE };

	tsr_prepare_report(&report, err, reterr_diag);
	return err;
}

TSR_API int tsr_runner_load(struct tsr_device *dev, const char *path,
			    struct tsr_runner **ret_runner, struct tsr_diag **reterr_diag)
{
	int err = dev ? tsr_device_check(dev) : 0;
	size_t size;
	char *data;

	if (!err)
		err = tsr_read_file(path, TSR_SAVED_MAX, &data, &size);
	return err ? fail(err, reterr_diag) : load(dev, data, size, ret_runner, reterr_diag);
}

TSR_API int tsr_runner_load_memory(struct tsr_device *dev, const void *data, size_t size,
				   struct tsr_runner **ret_runner, struct tsr_diag **reterr_diag)
{
	int err = dev ? tsr_device_check(dev) : 0;
	void *copy;

	if (!err && size > TSR_SAVED_MAX)
		err = -EFBIG;
	copy = err ? NULL : malloc(size + 1);
	if (!err && !copy)
		err = -ENOMEM;
	if (err)
		return fail(err, reterr_diag);
	memcpy(copy, data, size);
	return load(dev, copy, size, ret_runner, reterr_diag);
}

TSR_API struct tsr_runner *tsr_runner_ref(struct tsr_runner *runner)
{
	tsr_ref_get(&runner->ref);
	return runner;
}

TSR_API struct tsr_runner *tsr_runner_unref(struct tsr_runner *runner)
{
	if (!runner || !tsr_ref_put(&runner->ref))
		return NULL;
	tsr_operation_unref(runner->op);
	tsr_saved_unref(runner->saved);
	free(runner);
	return NULL;
}

/* ---- Running ------------------------------------------------------------------------------ */

static int refuse_factory(const struct tsr_runner *runner, bool given,
			  struct tsr_diag **reterr_diag)
{
	struct tsr_prepare report = { .stage = TSR_STAGE_DECLARE, .diag = tsr_diag_new() };

	tsr_diag_note(report.diag, (struct tsr_note){
		.rule = TSR_RN2,
		.path = tsr_text("operation"),
		.field = "factory",
		.value = tsr_text("%s", given ? "set" : "none"),
		.allowed = tsr_text("%s", given ? "none" : "the factory, on every call"),
		.message = tsr_text("operation %s was saved %s a factory", runner->saved->info.name,
				    given ? "without" : "with"),
	});
	tsr_prepare_report(&report, -EINVAL, reterr_diag);
	return -EINVAL;
}

TSR_API int tsr_runner_submit(struct tsr_runner *runner, struct tsr_context *context,
			      const struct tsr_tensor *tensors, size_t tensor_count,
			      const struct tsr_submit_options *options, tsr_factory_fn factory,
			      void *factory_ctx, struct tsr_run **ret_run,
			      struct tsr_diag **reterr_diag)
{
	int err = tsr_device_check(runner->op->dev);

	if (err)
		return fail(err, reterr_diag);
	if (!factory != !runner->saved->info.needs_factory)
		return refuse_factory(runner, factory, reterr_diag);
	return tsr_submit_with(runner->op, context, tensors, tensor_count, options, factory,
			       factory_ctx, ret_run, reterr_diag);
}

TSR_API struct tsr_kernel *tsr_runner_kernel(const struct tsr_runner *runner, const char *name)
{
	for (size_t i = 0; i < runner->op->kernels.count; i++)
		if (!strcmp(tsr_op_kernel(runner->op, i)->name, name))
			return tsr_op_kernel(runner->op, i)->handle;
	return NULL;
}

TSR_API const struct tsr_runner_info *tsr_runner_info(const struct tsr_runner *runner)
{
	return &runner->saved->info;
}

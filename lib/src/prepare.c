// SPDX-License-Identifier: MIT
/* Factory, checks and plan, in this order, each in its own file. */
#include <errno.h>
#include <stdlib.h>

#include "check.h"
#include "prepare.h"

static int begin(struct tsr_prepare *p)
{
	int err = tsr_device_check(p->dev);

	p->stage = TSR_STAGE_DECLARE;
	if (!err)
		err = tsr_shape_get(p->op, &p->shape);
	if (err)
		return err;
	p->call = tsr_call_new(p->dev);
	if (p->factory)
		p->res = tsr_resources_new(p->dev, p->op->serial);
	return p->call && (p->res || !p->factory) ? 0 : -ENOMEM;
}

/* The findings become the diagnostic of the call, whose error is -EINVAL. */
static int refuse(struct tsr_prepare *p, struct tsr_check *c)
{
	atomic_fetch_add(&p->dev->tally.findings, c->findings);
	tsr_count(&p->dev->tally.refused);
	p->diag = c->diag;
	return c->diag && !c->diag->incomplete ? -EINVAL : -ENOMEM;
}

static int check_dense(struct tsr_prepare *p)
{
	struct tsr_check c = { .op = p->op, .shape = p->shape };

	if (likely(p->shape->dense))
		return 0;
	tsr_check_dense(&c);
	return refuse(p, &c);
}

static int factory_failed(struct tsr_prepare *p, int err)
{
	tsr_count(&p->dev->tally.factory_failures);
	p->diag = tsr_diag_new();
	tsr_diag_note(p->diag, (struct tsr_note){
		.rule = TSR_RR6,
		.path = tsr_text("operation"),
		.field = "factory",
		.value = tsr_text("%d", err),
		.allowed = tsr_text("0"),
		.message = tsr_text("the factory of operation %s failed", p->op->name),
	});
	/* A positive result is no errno, and no success either. */
	return err > 0 ? -EINVAL : err;
}

static int call_factory(struct tsr_prepare *p)
{
	struct tsr_factory_input input = {
		.op = p->op,
		.dev = p->dev,
		.tensors = p->tensors,
		.tensor_count = p->tensor_count,
		.cores = p->op->cores,
		.first_free_semaphore_id = (uint32_t)p->op->semaphores.count,
	};
	int err;

	if (!p->factory)
		return 0;
	p->stage = TSR_STAGE_FACTORY;
	tsr_count(&p->dev->tally.factory_calls);
	err = p->factory(p->factory_ctx, &input, p->res);
	p->res->sealed = true;
	return likely(!err) ? 0 : factory_failed(p, err);
}

static int make_plan(struct tsr_prepare *p)
{
	struct tsr_plan *plan = &p->call->plan;
	struct tsr_check c = {
		.op = p->op,
		.shape = p->shape,
		.limits = &p->dev->limits,
		.res = p->res,
		.tensors = p->tensors,
		.tensor_count = p->tensor_count,
		.plan = plan,
	};
	int err;

	p->stage = TSR_STAGE_VALIDATE;
	err = tsr_plan_begin(plan, p->shape, p->res);
	if (err)
		return err;
	tsr_check_all(&c);
	if (unlikely(c.findings))
		return refuse(p, &c);
	err = tsr_plan_make(plan);
	if (!err)
		tsr_count(&p->dev->tally.plans);
	return err;
}

int tsr_prepare(struct tsr_prepare *p)
{
	int err = begin(p);

	if (!err)
		err = check_dense(p);
	if (!err && p->bind)
		err = p->bind(p);
	if (!err)
		err = call_factory(p);
	return err ? err : make_plan(p);
}

void tsr_prepare_fini(struct tsr_prepare *p)
{
	if (p->call)
		tsr_call_free(p->dev, p->call);
	tsr_resources_let_go(p->res);
}

void tsr_prepare_report(struct tsr_prepare *p, int err, struct tsr_diag **reterr_diag)
{
	if (!reterr_diag) {
		tsr_diag_free(p->diag);
		return;
	}
	if (!p->diag)
		p->diag = tsr_diag_new();
	/* One that a cache entry shares was completed by its build. */
	if (p->diag && !p->diag->cause) {
		p->diag->cause = err;
		p->diag->stage = p->stage;
	}
	*reterr_diag = p->diag;
}

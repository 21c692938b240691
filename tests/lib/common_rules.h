/* SPDX-License-Identifier: MIT */
/* What the tests of rules share: factories, and findings looked at field by field. */
#ifndef TSR_TESTS_COMMON_RULES_H
#define TSR_TESTS_COMMON_RULES_H

#include "common_rig.h"

/** entry_of() - a new entry of the result */
static inline struct tsr_entry *entry_of(struct tsr_resources *res, struct tsr_selector selector)
{
	struct tsr_entry *entry;

	if (tsr_resources_add_entry(res, selector, &entry))
		abort();
	return entry;
}

/* FILL() - what a factory does */
#define FILL(name) \
	static int name(struct rig *rig, const struct tsr_factory_input *input, \
			struct tsr_resources *res)

#define EXPECT_FINDING(rule_, nth, path_, field_, value_, allowed_) do {		\
	const struct tsr_finding *f_ = rig_finding(self->rig, rule_, nth);		\
	ASSERT_NE(NULL, f_);								\
	EXPECT_STREQ(path_, f_->path);							\
	EXPECT_STREQ(field_, f_->field);						\
	EXPECT_STREQ(value_, f_->value);						\
	EXPECT_STREQ(allowed_, f_->allowed);						\
	EXPECT_NE('\0', f_->message[0]);						\
} while (0)

#define EXPECT_CORE(rule_, nth, x_, y_) do {						\
	const struct tsr_finding *f_ = rig_finding(self->rig, rule_, nth);		\
	ASSERT_NE(NULL, f_);								\
	EXPECT_EQ(x_, f_->x);								\
	EXPECT_EQ(y_, f_->y);								\
} while (0)

#define EXPECT_REFUSED(rule_, n_) do {							\
	EXPECT_EQ(-EINVAL, rig_submit(self->rig));					\
	ASSERT_TRUE(rig_only(self->rig, rule_, n_));					\
	EXPECT_EQ(-EINVAL, tsr_diag_cause(self->rig->diag));				\
	EXPECT_EQ(TSR_STAGE_VALIDATE, tsr_diag_stage(self->rig->diag));			\
} while (0)

#endif

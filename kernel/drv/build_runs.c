// SPDX-License-Identifier: GPL-2.0-only
/*
 * The way of a run, compiled as one, so that the compiler sees through calls between files. Each of
 * them stands for itself, and is compiled so on debug kernels.
 */
#include "bank.c"
#include "bo.c"
#include "claim.c"
#include "context.c"
#include "page.c"
#include "pipeline.c"
#include "program.c"
#include "retire.c"
#include "run.c"
#include "submit.c"
#include "usage.c"

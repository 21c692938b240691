// SPDX-License-Identifier: GPL-2.0-only
/* Where the tracepoints are. */
#define CREATE_TRACE_POINTS
#include "tsr_trace.h"

/* SPDX-License-Identifier: MIT */
#include "two.h"
#define ONE 1

/* SPDX-License-Identifier: MIT */
/* Not compiled: its text, and that of what it includes, is in a golden vector. */
#include <stdint.h>
#include "one.h"
  #  include "one.h"
void kernel_main(void) { }

#!/bin/bash
# SPDX-License-Identifier: MIT
# Mutants: each applies exactly once, names a test that is there, and every rule that is met has one.
#
# usage: O=DIR mutants.sh CFLAGS
tests/mutants/run --check ${PLANT:+"$PLANT"}

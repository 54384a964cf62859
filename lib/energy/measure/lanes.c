/* SPDX-License-Identifier: MIT */
/*
 * Each loop is there for floats and for doubles: the same lines, from one file
 * that is included twice. Lanes are written out, as no compiler may change the
 * order of additions by itself.
 */
#include "measure/lanes.h"

#include <string.h>

/* Samples that are looked at together. */
#define GROUP 16
#define VECTOR_BYTES 16

#define REAL float
#define INTEGER int32_t
#define NAME(what) ssdpm__block_##what##_floats
#define VECTOR floats
#define MASK float_masks
#include "measure/lanes-loops.h"
#undef REAL
#undef INTEGER
#undef NAME
#undef VECTOR
#undef MASK

#define REAL double
#define INTEGER int64_t
#define NAME(what) ssdpm__block_##what##_doubles
#define VECTOR doubles
#define MASK double_masks
#include "measure/lanes-loops.h"

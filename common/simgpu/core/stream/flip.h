/*
 * flip.h: a bit that a planted fault inverts (core/plant.h)
 *
 * The bit is in the first bytes of device memory that an operation writes, and
 * is inverted once the operation has written them: nothing else tells of it.
 */
#ifndef SIMGPU_CORE_STREAM_FLIP_H
#define SIMGPU_CORE_STREAM_FLIP_H

#include <stddef.h>

#include "core/stream/op.h"

/* If a bit is to be inverted, choose the bytes among these accesses, unless
 * they are chosen already. */
void flip_choose(struct op *op, const struct graph_access *acc, size_t nacc);

/* Invert the bit that op->flip asks for. op has done its work. */
void flip_bit(const struct op *op);

#endif

/*
 * ptx.h: inline PTX
 *
 *     asm volatile("red.global.add.u64 [%0],%1;" :: "l"(p), "l"(n));
 *     ->  ::simgpu::red_add<unsigned long long>((p), (n));
 *
 * A statement of one instruction that the table in ptx.c has becomes a call
 * (simgpu/ptx.h). Any other is left as it is: host code may have assembly of
 * its own, and PTX that simgpu lacks is an error of the assembler, at its line.
 */
#ifndef SIMNVCC_PTX_H
#define SIMNVCC_PTX_H

#include "edit.h"
#include "tokens.h"

/* Token i is asm, __asm__ or __asm. */
void ptx_edit(const struct tokens *t, size_t i, struct edits *e);

#endif

/*
 * ptx.h: inline PTX
 *
 *     asm volatile("mad.lo.u32 %0, %1, %2, %0;" : "+r"(x) : "r"(a), "r"(b));
 *
 * becomes a block of C++: a variable for each operand and register, a call for
 * each instruction (ptx_table.h), and the results' assignments. PTX that the
 * table lacks is an error of the device function that has it, in a header only
 * if the function is used: libraries wrap all instructions there are. Host code
 * has assembly of its own, and keeps it.
 */
#ifndef SIMNVCC_PTX_H
#define SIMNVCC_PTX_H

#include "edit.h"
#include "tokens.h"

/* Token i is asm, __asm__ or __asm. Returns NULL, or what is wrong, which the
 * caller frees. */
char *ptx_edit(const struct tokens *t, size_t i, struct edits *e);

#endif

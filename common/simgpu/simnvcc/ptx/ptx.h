/*
 * ptx.h: inline PTX
 *
 *     asm volatile("mad.lo.u32 %0, %1, %2, %0;" : "+r"(x) : "r"(a), "r"(b));
 *
 * becomes a block of C++: a variable for each operand and register, a call for
 * each instruction (ptx_table.h), and assignments of the results. PTX that
 * isn't in the table is an error in the device function that contains it. In a
 * header it is an error only if the function is used, since libraries wrap
 * every instruction that exists. Assembly in host code is left alone.
 */
#ifndef SIMNVCC_PTX_H
#define SIMNVCC_PTX_H

#include "simnvcc/edit.h"
#include "simnvcc/tokens.h"

/* Rewrite the statement whose asm, __asm__ or __asm is token i. Returns NULL,
 * or an error message that the caller frees. */
char *ptx_edit(const struct tokens *t, size_t i, struct edits *e);

#endif

/*
 * ptx_table.h: PTX's instructions, and the function of simgpu/ptx.h for each
 *
 *     mad.wide.u32 %0, %1, %2, %3;   ->   do_mad<uint32_t, t_wide>(...)
 *
 * The function is named after the row; the opcode's types and tags are its
 * template arguments.
 */
#ifndef SIMNVCC_PTX_TABLE_H
#define SIMNVCC_PTX_TABLE_H

#include "ptx_code.h"

/*
 * What an operand is:
 *     d  the result of the function     T  a value of the type
 *     |  a predicate beside it, or none U  a value of the second type
 *     u  32 bits                        W  a value as wide as the result
 *     l  64 bits                        P  the address of a T
 *     p  a predicate                    A  an address; S, in shared memory;
 *                                          B, of a barrier
 *     v  results, in braces if several  V  values, likewise
 *     ?  what follows may be missing
 */
struct ptx_row {
    const char *name;     /* "cp.async": the opcode has these parts */
    const char *operands; /* see above */
    const char *tags;     /* parts that matter to the function */
    const char *more;     /* parts that change nothing here */
};

/* The row with most parts that the opcode has, or NULL if there is none or the
 * opcode has parts that the row lacks. */
const struct ptx_row *ptx_find(const struct ptx_line *l);

/* True if the row's function is told of this part of an opcode. */
int ptx_is_tag(const struct ptx_row *row, const char *part);

/* "uint32_t" for u32, or NULL if the word is no type. */
const char *ptx_type(const char *word);

/* True if there is a special register of this name; simgpu/ptx.h has a function
 * of the same name, with _ for a dot. */
int ptx_is_special(const char *name);

#endif

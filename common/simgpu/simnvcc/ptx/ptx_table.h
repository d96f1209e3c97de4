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

#include "simnvcc/ptx/ptx_code.h"

/*
 * Letters for operands:
 *
 *     d  the function's result          T  a value of the first type
 *     |  an optional second predicate   U  a value of the second type
 *     u  32 bits                        W  a value as wide as the result
 *     l  64 bits                        P  the address of a T
 *     p  a predicate                    A  an address; S in shared memory;
 *                                          B a barrier's address
 *     v  results, in braces if several  V  values, in braces if several
 *     ?  what follows is optional
 */
struct ptx_row {
    const char *name;     /* "cp.async": the opcode has these parts */
    const char *operands; /* see above */
    const char *tags;     /* parts that the function gets as arguments */
    const char *more;     /* parts without an effect here */
};

/* The row that has the most parts in common with the opcode. NULL if there is
 * none, or if the opcode has parts that the row lacks. */
const struct ptx_row *ptx_find(const struct ptx_line *l);

/* True if the row's function gets this part of an opcode as an argument. */
int ptx_is_tag(const struct ptx_row *row, const char *part);

/* "uint32_t" for u32; NULL if the word is not a type. */
const char *ptx_type(const char *word);

/* True for the name of a special register. simgpu/ptx.h has a function of the
 * same name, with _ for a dot. */
int ptx_is_special(const char *name);

#endif

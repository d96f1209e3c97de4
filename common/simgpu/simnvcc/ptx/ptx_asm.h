/*
 * ptx_asm.h: asm("..." : outputs : inputs : clobbers)
 */
#ifndef SIMNVCC_PTX_ASM_H
#define SIMNVCC_PTX_ASM_H

#include "simnvcc/tokens.h"

enum { PTX_MAX_OPERANDS = 30 }; /* GCC's limit */

struct ptx_operand { /* "=r"(x) */
    char *constraint, *expression;
};

struct ptx_asm {
    char *text; /* the joined literals; NULL if there are none */
    struct ptx_operand operand[PTX_MAX_OPERANDS];
    int noperands;
};

/* Read the statement whose asm is token i. Returns its last token,
 * or t->n if it has another form, such as operands with names.
 * Release *a in either case. */
size_t ptx_asm_read(const struct tokens *t, size_t i, struct ptx_asm *a);
void ptx_asm_release(struct ptx_asm *a);

#endif

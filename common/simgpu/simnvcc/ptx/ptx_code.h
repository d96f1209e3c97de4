/*
 * ptx_code.h: the text of inline PTX, as statements
 *
 *     { .reg .pred p;  setp.ne.u32 p, %1, 0;  @p add.u32 %0, %0, 1; }
 *
 * Braces and comments are dropped; \n and \t are white space.
 */
#ifndef SIMNVCC_PTX_CODE_H
#define SIMNVCC_PTX_CODE_H

enum { PTX_OPERANDS = 12, PTX_WORD = 96, PTX_MODIFIERS = 12 };

enum ptx_kind { PTX_INSTRUCTION, PTX_REGISTERS, PTX_LABEL };

struct ptx_line {
    enum ptx_kind kind;
    char guard[PTX_WORD]; /* p of @p; "" if there is none */
    int guard_inverted;   /* true for @!p */
    char text[PTX_WORD];  /* "setp.ne.u32", ".reg.pred", a label's name */
    char part[PTX_MODIFIERS][PTX_WORD]; /* setp ne u32 */
    int nparts;
    /* %0, [%1+4], {%0,%1}, without blanks */
    char operand[PTX_OPERANDS][PTX_WORD];
    int noperands;
};

/* Read the next statement from *text, and advance *text. Returns 1, 0 at the
 * end, or -1 if it is too long or not a statement. */
int ptx_read(const char **text, struct ptx_line *l);

#endif

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
    char guard[PTX_WORD]; /* of @p; "" without */
    int guard_inverted;   /* @!p */
    char text[PTX_WORD];  /* "setp.ne.u32", ".reg.pred", a label's name */
    char part[PTX_MODIFIERS][PTX_WORD]; /* setp ne u32 */
    int nparts;
    char operand[PTX_OPERANDS][PTX_WORD]; /* %0, [%1+4], {%0,%1}: no blanks */
    int noperands;
};

/* Read the next statement from *text, and move behind it. 1: there is one; 0:
 * the end; -1: it is too long, or no statement. */
int ptx_read(const char **text, struct ptx_line *l);

#endif

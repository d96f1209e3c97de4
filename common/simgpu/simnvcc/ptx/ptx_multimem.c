#define _GNU_SOURCE
#include "simnvcc/ptx/ptx_multimem.h"

#include <ctype.h>  /* isspace */
#include <stdlib.h> /* free */
#include <string.h> /* strtok_r */

struct word { /* a word of an opcode, and its meaning in C++ */
    const char *ptx, *cxx;
};

static const struct word types[] = {
    {"u32", "unsigned"},
    {"s32", "int"},
    {"b32", "unsigned"},
    {"u64", "unsigned long long"},
    {"s64", "long long"},
    {"b64", "unsigned long long"},
    {"f32", "float"},
    {"f64", "double"},
    {"f16", "::__half"},
    {"f16x2", "::__half"},
    {"bf16", "::__nv_bfloat16"},
    {"bf16x2", "::__nv_bfloat16"},
    {"e4m3", "::__nv_fp8_e4m3"},
    {"e4m3x4", "::__nv_fp8_e4m3"},
    {"e5m2", "::__nv_fp8_e5m2"},
    {"e5m2x4", "::__nv_fp8_e5m2"},
    {NULL, NULL},
};

static const struct word operations[] = {
    {"add", "::simgpu::multimem_add"},
    {"min", "::simgpu::multimem_min"},
    {"max", "::simgpu::multimem_max"},
    {"and", "::simgpu::multimem_and"},
    {"or", "::simgpu::multimem_or"},
    {"xor", "::simgpu::multimem_xor"},
    {NULL, NULL},
};

/* Memory orders, by simgpu/kernel.h's names. */
static const struct word orders[] = {
    {"relaxed", "0"},
    {"acquire", "SIMGPU_ACQUIRE"},
    {"release", "SIMGPU_RELEASE"},
    {NULL, NULL},
};

/* Words without an effect here: the function's arguments imply them, or its
 * arithmetic is precise enough anyway. */
static const struct word ignored[] = {
    {"multimem", ""}, {"global", ""}, {"weak", ""},     {"cta", ""},
    {"cluster", ""},  {"gpu", ""},    {"sys", ""},      {"v2", ""},
    {"v4", ""},       {"v8", ""},     {"acc::f16", ""}, {"acc::f32", ""},
    {NULL, NULL},
};

static const char *find(const struct word *w, const char *word)
{
    while (w->ptx && strcmp(w->ptx, word) != 0)
        w++;
    return w->cxx;
}

/* Find the function for an opcode of n characters.
 * Returns 0 if there is none. */
static int find_call(const char *opcode, size_t n, char *call, size_t nbytes)
{
    char text[128], *rest;
    const char *type = NULL, *operation = NULL, *order = NULL, *verb = NULL;
    if (n >= sizeof text || n < 9 || memcmp(opcode, "multimem.", 9) != 0)
        return 0;
    memcpy(text, opcode, n);
    text[n] = 0;
    for (char *w = strtok_r(text, ".", &rest); w;
         w = strtok_r(NULL, ".", &rest)) {
        if (!strcmp(w, "ld_reduce") || !strcmp(w, "st") || !strcmp(w, "red"))
            verb = *w == 'l' ? "ld_reduce" : *w == 's' ? "st" : "red";
        else if (find(types, w))
            type = find(types, w);
        else if (find(operations, w))
            operation = find(operations, w);
        else if (find(orders, w))
            order = find(orders, w);
        else if (!find(ignored, w))
            return 0;
    }
    if (!verb || !type || (*verb != 's' && !operation))
        return 0;
    if (*verb == 'l')
        snprintf(call, nbytes, "::simgpu::multimem_ld_reduce<%s, %s>", type,
                 operation);
    else if (*verb == 's')
        snprintf(call, nbytes, "::simgpu::multimem_st<%s, %s>", type,
                 order ? order : "-1");
    else
        snprintf(call, nbytes, "::simgpu::multimem_red<%s, %s, %s>", type,
                 operation, order ? order : "0");
    return 1;
}

/* Write the instruction's operands. Returns -1 if one is a register. */
static int write_operands(FILE *out, const struct ptx_asm *a, const char *p)
{
    for (; *p && *p != ';'; p++) {
        if (isspace((unsigned char)*p) || strchr("[]{}", *p))
            continue;
        if (*p != '%') {
            fputc(*p, out);
            continue;
        }
        char *end;
        const long n = strtol(p + 1, &end, 10);
        if (end == p + 1 || n >= a->noperands)
            return -1;
        fprintf(out, "(%s)", a->operand[n].expression);
        p = end - 1;
    }
    return p[0] == ';' && p[1] ? -1 : 0;
}

int ptx_multimem_write(FILE *out, const struct ptx_asm *a)
{
    const size_t n = strcspn(a->text, " \t");
    char call[128], *operands = NULL;
    size_t nbytes;
    if (!find_call(a->text, n, call, sizeof call))
        return 0;
    FILE *const f = open_memstream(&operands, &nbytes);
    if (!f)
        abort();
    const int err = write_operands(f, a, a->text + n);
    fclose(f);
    if (err == 0)
        fprintf(out, "%s(%s)", call, operands);
    free(operands);
    return err == 0;
}

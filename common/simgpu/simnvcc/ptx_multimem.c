#include "ptx_multimem.h"

#include <stdio.h>  /* snprintf */
#include <string.h> /* strtok_r */

struct word { /* a word of an opcode, and what it stands for in C++ */
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

/* What other files order by it: simgpu/kernel.h. */
static const struct word orders[] = {
    {"relaxed", "0"},
    {"acquire", "SIMGPU_ACQUIRE"},
    {"release", "SIMGPU_RELEASE"},
    {NULL, NULL},
};

/* Words without a meaning here: the function's arguments tell, or it computes
 * as precisely anyway. */
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

int ptx_multimem_call(const char *opcode, size_t n, char *call, size_t nbytes)
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

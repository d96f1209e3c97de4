#include "core/declared.h"

#include <stdio.h>  /* sscanf */
#include <string.h> /* strncmp */

#include "core/report.h"

enum { DEEPEST = 64 };

static _Thread_local struct {
    int depth;
    struct level {
        int known;
        struct declared cost;
    } level[DEEPEST]; /* by depth; inherited from the range around it */
} ranges;

/* The innermost range's level, NULL outside all ranges. */
static struct level *innermost(void)
{
    const int depth = ranges.depth < DEEPEST ? ranges.depth : DEEPEST;
    return depth ? &ranges.level[depth - 1] : NULL;
}

/* Find the kind of arithmetic with this name. Returns 0 if there is none. */
static int math_of(const char *name, enum topo_math *out)
{
    static const struct {
        const char *name;
        enum topo_math math;
    } maths[] = {{"fp32", TOPO_FP32}, {"tf32", TOPO_TF32}, {"fp16", TOPO_FP16},
                 {"bf16", TOPO_FP16}, {"fp64", TOPO_FP64}, {"fp8", TOPO_FP8}};
    for (size_t i = 0; i < sizeof maths / sizeof *maths; i++)
        if (strcmp(name, maths[i].name) == 0) {
            *out = maths[i].math;
            return 1;
        }
    return 0;
}

/* Returns 1 if the whole name has one of the two forms. */
static int scan(const char *name, struct declared *out)
{
    char math[5], rest;
    if (sscanf(name, "cost: %lf flops, %lf bytes%c", &out->flops, &out->nbytes,
               &rest) == 2) {
        out->math = TOPO_FP32;
        return 1;
    }
    return sscanf(name, "cost: %lf %4[a-z0-9] flops, %lf bytes%c", &out->flops,
                  math, &out->nbytes, &rest) == 3 &&
           math_of(math, &out->math);
}

static int parse(const char *name, struct declared *out)
{
    static const char prefix[] = "cost:";
    if (!name || strncmp(name, prefix, sizeof prefix - 1) != 0)
        return 0;
    out->ntouches = 0;
    if (scan(name, out) && out->flops >= 0 && out->flops < 1e30 &&
        out->nbytes >= 0 && out->nbytes < 1e18)
        return 1;
    simgpu_report_fault(
        NULL,
        "the NVTX range \"%s\" declares a cost in an unknown form."
        "\nWrite \"cost: 2e9 flops, 8e6 bytes\", or \"cost: 2e9 bf16 flops, "
        "8e6 bytes\"\nwith fp32, tf32, fp16, bf16, fp8 or fp64.",
        name);
}

void declared_enter(const char *name)
{
    const struct level *const outer = innermost();
    struct level l = outer ? *outer : (struct level){0};
    l.known |= parse(name, &l.cost);
    if (ranges.depth < DEEPEST)
        ranges.level[ranges.depth] = l;
    ranges.depth++;
}

void declared_mark(const char *message)
{
    struct declared_touch t = {.writes = 1};
    void *at;
    struct level *const l = innermost();
    if (!message || !l || !l->known || l->cost.ntouches == DECLARED_TOUCHES)
        return;
    if (sscanf(message, "cost: writes %p + %zu", &at, &t.nbytes) != 2) {
        if (sscanf(message, "cost: reads %p + %zu", &at, &t.nbytes) != 2)
            return;
        t.writes = 0;
    }
    t.at = at;
    l->cost.touch[l->cost.ntouches++] = t;
}

void declared_leave(void)
{
    if (ranges.depth)
        ranges.depth--;
}

int declared_cost(struct declared *out)
{
    const struct level *const l = innermost();
    if (l)
        *out = l->cost;
    return l && l->known;
}

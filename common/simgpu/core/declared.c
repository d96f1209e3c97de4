#include "core/declared.h"

#include <stdio.h>  /* sscanf */
#include <string.h> /* strncmp */

#include "core/proc.h"

enum { DEEPEST = 64 };

static _Thread_local struct {
    int depth;
    struct level {
        int known;
        struct declared cost;
    } level[DEEPEST]; /* of the range of that depth, or of one around it */
} ranges;

/* The innermost range's level, NULL outside of all. */
static const struct level *innermost(void)
{
    const int depth = ranges.depth < DEEPEST ? ranges.depth : DEEPEST;
    return depth ? &ranges.level[depth - 1] : NULL;
}

static int parse(const char *name, struct declared *out)
{
    static const char prefix[] = "cost:";
    char rest;
    if (!name || strncmp(name, prefix, sizeof prefix - 1) != 0)
        return 0;
    if (sscanf(name, "cost: %lf flops, %lf bytes%c", &out->flops, &out->nbytes,
               &rest) == 2 &&
        out->flops >= 0 && out->flops < 1e30 && out->nbytes >= 0 &&
        out->nbytes < 1e18)
        return 1;
    proc_fault(NULL,
               "the NVTX range \"%s\" declares no cost that can be understood."
               "\nWrite \"cost: 2e9 flops, 8e6 bytes\".",
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

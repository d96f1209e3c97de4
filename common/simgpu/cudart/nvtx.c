/*
 * nvtx.c: ranges of NVTX name spans of the execution graph
 *
 * Ranges of a thread nest. Those deeper than the stack count but have no name
 * of their own.
 */
#include <nvtx3/nvToolsExt.h>

#include "core/declared.h"
#include "core/proc.h"

enum { DEEPEST = 64 };

static _Thread_local struct {
    int depth;
    uint32_t outer[DEEPEST]; /* the span around the range of that depth */
} ranges;

int nvtxRangePushA(const char *message)
{
    declared_enter(message);
    if (ranges.depth < DEEPEST)
        ranges.outer[ranges.depth] =
            graph_span(graph_string(proc()->graph, message));
    return ranges.depth++;
}

int nvtxRangePop(void)
{
    if (ranges.depth == 0)
        return -1;
    declared_leave();
    if (--ranges.depth < DEEPEST)
        graph_span(ranges.outer[ranges.depth]);
    return ranges.depth;
}

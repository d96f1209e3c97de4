/*
 * nvtx.c: NVTX ranges, which name spans of the execution graph
 *
 * Ranges of a thread nest. Ranges deeper than the stack are counted but have no
 * name of their own. A range that is started rather than pushed is on the same
 * stack; if it ends below others, it is removed when they are.
 */
#include <nvtx3/nvToolsExt.h>

#include "core/declared.h"
#include "core/proc.h"

enum { DEEPEST = 64 };

static _Thread_local struct {
    int depth;
    uint32_t outer[DEEPEST];   /* the span around the range of that depth */
    nvtxRangeId_t id[DEEPEST]; /* of a started range; 0: pushed */
    int over[DEEPEST];         /* it has ended */
} ranges;

static _Atomic nvtxRangeId_t last_id;

/* The text of a range, NULL if it has none. */
static const char *message_of(const nvtxEventAttributes_t *a)
{
    return a && a->messageType == NVTX_MESSAGE_TYPE_ASCII ? a->message.ascii
                                                          : NULL;
}

static int enter(const char *message, nvtxRangeId_t id)
{
    declared_enter(message ? message : "");
    if (ranges.depth < DEEPEST) {
        ranges.outer[ranges.depth] =
            graph_span(graph_string(simgpu_proc()->graph, message));
        ranges.id[ranges.depth] = id;
        ranges.over[ranges.depth] = 0;
    }
    return ranges.depth++;
}

static void leave(void)
{
    declared_leave();
    if (--ranges.depth < DEEPEST)
        graph_span(ranges.outer[ranges.depth]);
}

/* Remove ranges at the top that ended before those above them. */
static void leave_ended(void)
{
    while (ranges.depth > 0 && ranges.depth <= DEEPEST &&
           ranges.over[ranges.depth - 1])
        leave();
}

int nvtxRangePushA(const char *message)
{
    return enter(message, 0);
}

int nvtxRangePushEx(const nvtxEventAttributes_t *eventAttrib)
{
    return enter(message_of(eventAttrib), 0);
}

int nvtxRangePop(void)
{
    if (ranges.depth == 0)
        return -1;
    leave();
    const int depth = ranges.depth;
    leave_ended();
    return depth;
}

nvtxRangeId_t nvtxRangeStartA(const char *message)
{
    const nvtxRangeId_t id = ++last_id;
    enter(message, id);
    return id;
}

nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t *eventAttrib)
{
    return nvtxRangeStartA(message_of(eventAttrib));
}

void nvtxRangeEnd(nvtxRangeId_t id)
{
    for (int i = 0; i < ranges.depth && i < DEEPEST; i++)
        if (id && ranges.id[i] == id)
            ranges.over[i] = 1;
    leave_ended();
}

void nvtxMarkA(const char *message)
{
    (void)message;
}

void nvtxMarkEx(const nvtxEventAttributes_t *eventAttrib)
{
    (void)eventAttrib;
}

/*
 * profiler.c: NCCL without profiler plugins (EXTRAS=0)
 */
#include "nccl/profiler.h"

#include <stddef.h> /* NULL */

#include "nccl/call.h"

void profiler_join(struct ncclComm *c)
{
    (void)c;
}

void profiler_leave(struct ncclComm *c)
{
    (void)c;
}

void profiler_enter_call(struct nccl_call *c, int depth)
{
    (void)depth;
    c->profiled = (struct profiler_call){0};
}

void profiler_leave_call(struct nccl_call *c)
{
    (void)c;
}

void profiler_end_group(void) {}

void profiler_leave_group(void) {}

struct profiler_launch *profiler_enter_launch(struct nccl_op *const *op, int n)
{
    (void)op, (void)n;
    return NULL;
}

void profiler_leave_launch(struct profiler_launch *l)
{
    (void)l;
}

void profiler_end_op(const struct nccl_op *o)
{
    (void)o;
}

void profiler_release(struct profiler_task *t)
{
    (void)t;
}

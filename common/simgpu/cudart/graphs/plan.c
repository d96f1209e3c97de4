#include "cudart/graphs/plan.h"

#include <stdlib.h> /* free */

#include "core/stream/stream.h"

void plan_delete(struct exec_plan *p)
{
    for (unsigned i = 0; p && p->stream && i < p->nchains; i++)
        if (p->stream[i])
            stream_release(p->stream[i]);
    if (p) {
        free(p->order);
        free(p->stream);
        free(p->tail);
        free(p->device);
    }
    free(p);
}

#include "graph/explain/explain_case.h"
#include "graph/replay/harm.h"

/* Leave out all planted faults, and mark what took longer because of them. */
int explain_fault(struct study *s, struct explain_finding *f)
{
    int any = 0;
    (void)f;
    for (size_t i = 0; i < s->g->nharms; i++)
        any |= harm_costs(s->g->harms[i].harm);
    if (!any)
        return 0;
    s->w.graph.nharms = 0;
    for (uint32_t at = 0; at < s->g->nnodes; at++)
        if (s->in[at])
            s->hit[at] = harms_lost_ps(s->g, s->time, at);
    return 1;
}

#include "graph/replay/replay_run.h"

#include <stdio.h> /* snprintf */

uint64_t run_after(uint64_t ps, uint64_t more_ps)
{
    if (ps >= AGENDA_NEVER)
        return ps;
    return more_ps < AGENDA_NEVER - ps ? ps + more_ps : AGENDA_NEVER;
}

int run_no_memory(struct replay_run *r)
{
    snprintf(r->err, r->err_nbytes, "no memory for %u operations",
             r->g->nnodes);
    return -1;
}

int run_schedule(struct replay_run *r, uint32_t at, enum phase phase,
                 uint64_t ps)
{
    r->state[at].phase = phase;
    return agenda_set(&r->agenda, at, ps) ? run_no_memory(r) : 0;
}

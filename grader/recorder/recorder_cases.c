#include "grader/recorder/recorder_cases.h"

#include <stdlib.h> /* free */
#include <string.h> /* strlen */

#include "grader/base/listener.h"

static int all_joined(const struct recorder *r)
{
    for (int i = 0; i < r->job->nranks; i++)
        if (!r->rank[i].joined[RECORDER_EVIDENCE] ||
            (r->job->graphs && (!r->rank[i].joined[RECORDER_GRAPH] ||
                                !r->rank[i].joined[RECORDER_MEMORY])))
            return 0;
    return 1;
}

void recorder_cases_close(struct recorder *r)
{
    listener_close(r->listener, r->job->seen, RECORDER_NAME);
    r->listener = -1;
}

void recorder_cases_iteration(struct rank *k, uint32_t iteration)
{
    k->before = iteration == k->iteration + 1 ? k->chain.digest : CHAIN_NOTHING;
    k->chain = (struct chain){.digest = CHAIN_NOTHING};
    k->iteration = iteration;
    k->nnames = 0;
}

void recorder_cases_go_on(struct recorder *r)
{
    for (int i = 0; i < r->job->nranks; i++)
        if (!r->rank[i].asks)
            return;
    if (!all_joined(r) || r->now == r->job->ncases)
        return;
    recorder_cases_close(r);
    r->now++;
    for (int i = 0; i < r->job->nranks; i++) {
        struct rank *const k = &r->rank[i];
        char *const text = r->job->text(r->job->arg, i, r->now);
        k->asks = k->ended = 0;
        recorder_cases_iteration(k, 0);
        k->before = CHAIN_NOTHING;
        rank_reply(k->connection[RECORDER_EVIDENCE], text, strlen(text));
        free(text);
    }
}

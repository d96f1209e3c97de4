#include "judge/needs.h"

#include <string.h> /* strcmp */

#include "topo/topo.h"

struct judge_place judge_place_of(const char *machine, int nranks)
{
    struct judge_place p = {.nranks = nranks};
    char err[256];
    struct topo *const t = machine ? topo_load(machine, err, sizeof err) : NULL;
    if (!t)
        return p;
    p.ngpus = topo_ngpus(t) / topo_nnodes(t);
    p.nnodes = (nranks + p.ngpus - 1) / p.ngpus;
    if (p.nnodes > topo_nnodes(t)) // ranks that share GPUs
        p.nnodes = topo_nnodes(t);
    topo_free(t);
    return p;
}

int judge_needs(const struct judge_lab *lab, const struct plan_case *c,
                const struct judge_place *p, char *text, size_t nbytes)
{
    text[0] = 0;
    if (!lab->needs || strcmp(c->kind, JUDGE_ANSWER) == 0)
        return 0;
    return lab->needs(c, p, text, nbytes);
}

#include "calls.h"

#include "graph/record/read.h"

/* Index of the first node with the same match as v. */
static uint32_t first_of(const struct graph *g, const struct graph_view *v)
{
    uint32_t at = 0;
    while (g->nodes[at].node.match != v->node.match)
        at++;
    return g->nodes[at].node.index;
}

/* Print ", reads 1:8+12": 12 bytes from byte 8 of allocation 1. Ordinary memory
 * is number 0 and has no address, since addresses vary. */
static void print_accesses(FILE *f, const struct graph_view *v)
{
    static const char *const touch[GRAPH_TOUCHES] = {
        "reads", "writes", "atomic", "alloc", "free", "holds"};
    for (size_t i = 0; i < v->naccesses; i++) {
        const struct graph_access *const a = &v->accesses[i];
        const uint32_t number = (uint32_t)a->alloc;
        const uint32_t owner = (uint32_t)(a->alloc >> 32);
        fprintf(f, ", %s ", touch[a->write & GRAPH_TOUCH]);
        if (owner != v->node.rank)
            fprintf(f, "rank %u's ", owner);
        fprintf(f, "%u:", number);
        if (number)
            fprintf(f, "%llu", (unsigned long long)a->begin);
        fprintf(f, "+%llu", (unsigned long long)(a->end - a->begin));
    }
    for (size_t i = 0; i < v->nmoves; i++)
        fprintf(f, ", moves %llu from %d to %d",
                (unsigned long long)v->moves[i].nbytes, v->moves[i].from,
                v->moves[i].to);
}

/* Print "#12 of all 1/3 root 2". All nodes of a match show the
 * number of the first. */
static void print_match(FILE *f, const struct graph *g,
                        const struct graph_view *v)
{
    static const char *const kinds[] = {"",        "of all", "from root",
                                        "to root", "pair",   "message"};
    const struct graph_node *const n = &v->node;
    if (n->match)
        fprintf(f, ", #%u %s %u/%u root %u, op %u", first_of(g, v),
                kinds[n->match_kind], n->match_rank, n->match_size,
                n->match_root, n->op);
}

void calls_print(FILE *f, const struct graph *g, const struct graph_view *v)
{
    static const char *const kinds[GRAPH_KINDS] = {
        [GRAPH_COLL] = "coll",     [GRAPH_SEND] = "send",
        [GRAPH_RECV] = "recv",     [GRAPH_COPY] = "copy",
        [GRAPH_MARK] = "mark",     [GRAPH_HOST] = "host",
        [GRAPH_KERNEL] = "kernel", [GRAPH_MEMSET] = "memset",
        [GRAPH_MPI] = "mpi"};
    const struct graph_node *const n = &v->node;
    const char *const kind = kinds[n->kind] ? kinds[n->kind] : "?";
    fprintf(f, "%u.%u %s %s queue %u, host %llu", n->index, v->part, v->name,
            kind, n->queue, (unsigned long long)n->host_ps);
    if (n->group)
        fprintf(f, ", group %u", n->group);
    print_match(f, g, v);
    fprintf(f, ", %llu bytes of %u", (unsigned long long)n->bytes,
            n->elem_size);
    if (n->flops != 0)
        fprintf(f, ", %g flops", n->flops);
    if (n->kind == GRAPH_SEND || n->kind == GRAPH_RECV)
        fprintf(f, ", peer %d", n->peer_place);
    for (int i = 0; i < n->ndeps; i++)
        fprintf(f, ", after %u", v->deps[i].index);
    print_accesses(f, v);
    fputc('\n', f);
}

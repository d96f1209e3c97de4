/*
 * commgraph collective: the time that a collective takes alone on a machine
 */
#include <errno.h>   /* errno */
#include <jansson.h> /* json_pack */
#include <stdlib.h>  /* strtoull */
#include <string.h>  /* strcmp */

#include "command.h"
#include "topo/fit/nccltests.h"

struct request {
    const char *topo, *op, *ranks, *nodes, *bytes, *algo, *proto;
    int json, nccl;
    enum topo_op operation;
    int nranks, nnodes, algos, protos; /* nnodes 0: use the first GPUs */
    uint64_t nbytes;
};

static int usage(const char *what, const char *value, const char *allowed)
{
    if (value)
        return command_usage("%s %s: %s", what, value, allowed);
    return command_usage("%s is needed: %s", what, allowed);
}

static int read_arguments(int argc, char **argv, struct request *r)
{
    const struct {
        const char *name, **value;
    } options[] = {{"--topo", &r->topo},   {"--op", &r->op},
                   {"--ranks", &r->ranks}, {"--bytes", &r->bytes},
                   {"--algo", &r->algo},   {"--proto", &r->proto},
                   {"--nodes", &r->nodes}};
    const size_t noptions = sizeof options / sizeof *options;
    for (int i = 1; i < argc; i++) {
        size_t k = 0;
        const int json = strcmp(argv[i], "--json") == 0;
        const int nccl = strcmp(argv[i], "--nccl") == 0;
        r->json |= json;
        r->nccl |= nccl;
        if (json || nccl)
            continue;
        while (k < noptions && strcmp(argv[i], options[k].name) != 0)
            k++;
        if (k == noptions)
            return command_usage("unexpected argument '%s'", argv[i]);
        if (i + 1 == argc)
            return command_usage("%s needs a value", argv[i]);
        *options[k].value = argv[++i];
    }
    if (r->json && r->nccl)
        return command_usage("--nccl prints text: leave out --json");
    return 0;
}

/* Read a number with an optional K, M or G, as in nccl-tests; -1
 * if it isn't one. */
static int read_size(const char *text, uint64_t *out)
{
    char *end;
    errno = 0;
    const unsigned long long n = strtoull(text, &end, 10);
    static const char units[] = "KMG";
    const char *const unit = *end ? strchr(units, *end) : NULL;
    const int shift = unit ? 10 * (int)(unit - units + 1) : 0;
    if (errno || end == text || text[0] == '-' || (*end && !unit) ||
        (unit && end[1]) || n > UINT64_MAX >> shift)
        return -1;
    *out = (uint64_t)n << shift;
    return 0;
}

static int read_values(struct request *r)
{
    uint64_t n = 0;
    const enum topo_op op =
        r->op ? nccltests_op(r->op, strlen(r->op)) : TOPO_OP_NONE;
    if (op != TOPO_OP_NONE && strcmp(r->op, nccltests_op_name(op)) == 0)
        r->operation = op;
    if (!r->topo)
        return usage("--topo", NULL, "a machine's name or file");
    if (r->operation == TOPO_OP_NONE)
        return usage("--op", r->op, nccltests_ops);
    if (!r->ranks || read_size(r->ranks, &n) != 0 || n < 1 || n > 1000000)
        return usage("--ranks", r->ranks, "a number from 1");
    r->nranks = (int)n;
    if (r->nodes && (read_size(r->nodes, &n) != 0 || n < 1 ||
                     n > (uint64_t)r->nranks || r->nranks % (int)n != 0))
        return usage("--nodes", r->nodes,
                     "how many nodes the ranks are on, as many on each");
    r->nnodes = r->nodes ? (int)n : 0;
    if (!r->bytes || read_size(r->bytes, &r->nbytes) != 0)
        return usage("--bytes", r->bytes,
                     "a number, with K, M or G for powers of 1024");
    if (r->algo && (r->algos = topo_algo_set(r->algo)) == 0)
        return usage("--algo", r->algo, "TREE RING NVLS NVLSTREE PAT");
    if (r->proto && (r->protos = topo_proto_set(r->proto)) == 0)
        return usage("--proto", r->proto, "LL LL128 SIMPLE");
    struct topo_sets algos, protos;
    if (command_sets(&algos, &protos) != 0)
        return COMMAND_FAILED;
    if (!r->algo)
        r->algos = algos.of[r->operation];
    if (!r->proto)
        r->protos = protos.of[r->operation];
    return 0;
}

/* Check that the machine is large enough. */
static int check_machine(const struct topo *t, const struct request *r)
{
    const uint64_t memory = topo_gpu(t, 0)->mem_nbytes;
    if (r->nranks > topo_ngpus(t))
        return command_usage("--ranks %d: %s has %d GPUs. More nodes: --topo "
                             "4x:%s",
                             r->nranks, r->topo, topo_ngpus(t), r->topo);
    if (r->nnodes > topo_nnodes(t) ||
        (r->nnodes > 0 &&
         r->nranks / r->nnodes > topo_ngpus(t) / topo_nnodes(t)))
        return command_usage("--nodes %d: %s has %d nodes of %d GPUs",
                             r->nnodes, r->topo, topo_nnodes(t),
                             topo_ngpus(t) / topo_nnodes(t));
    if (r->nbytes > memory)
        return command_usage("--bytes %llu: a GPU of %s has %llu bytes",
                             (unsigned long long)r->nbytes, r->topo,
                             (unsigned long long)memory);
    return 0;
}

static int print(const struct request *r, const struct topo_coll *c)
{
    const double us = (double)c->time_ps * 1e-6;
    const double algbw = us > 0 ? (double)r->nbytes / us * 1e-3 : 0;
    const double busbw = algbw * nccltests_bus(r->operation, r->nranks);
    const char *const algo = topo_algo_name(c->algo);
    const char *const proto = topo_proto_name(c->proto);
    if (!r->json) {
        printf("%14s %-14s %6s %14s %9s %9s %8s %8s\n", "size (B)", "operation",
               "ranks", "time (us)", "algorithm", "protocol", "algbw", "busbw");
        printf("%14llu %-14s %6d %14.2f %9s %9s %8.2f %8.2f\n",
               (unsigned long long)r->nbytes, nccltests_op_name(r->operation),
               r->nranks, us, algo, proto, algbw, busbw);
        return 0;
    }
    json_t *const all =
        json_pack("{s:f, s:s, s:s, s:f, s:f}", "us", us, "algorithm", algo,
                  "protocol", proto, "algbw", algbw, "busbw", busbw);
    const int err = all ? json_dumpf(all, stdout, JSON_REAL_PRECISION(12)) : -1;
    printf("\n");
    json_decref(all);
    return err ? command_failed("cannot write JSON") : 0;
}

static void print_channels(const char *what, const struct topo_channel *c,
                           int nodes)
{
    if (c->n == 0)
        return;
    printf("  %-6s %2d x %g GB/s", what, c->n, c->GBps);
    if (nodes)
        printf(" in a node, %g between nodes", c->net_GBps);
    printf("\n");
}

/* What NCCL's own search and tuner make of it. */
static int print_nccl(const struct topo *t, const struct request *r,
                      const int32_t *place)
{
    struct topo_nccl own;
    char err[600];
    const int each = topo_ngpus(t) / topo_nnodes(t);
    const int nodes = place[r->nranks - 1] / each > place[0] / each;
    if (topo_nccl(t, r->operation, place, r->nranks, r->nbytes, r->algos,
                  r->protos, &own, err, sizeof err) != 0)
        return command_failed("--nccl: %s", err);
    printf("\nNCCL 2.28.9 finds\n");
    print_channels("ring", &own.ring, nodes);
    print_channels("tree", &own.tree, nodes);
    print_channels("NVLS", &own.nvls, nodes);
    printf("uses %d channels, and chooses %s with %s\n", own.channels,
           topo_algo_name(own.algo), topo_proto_name(own.proto));
    return 0;
}

static int model(const struct topo *t, const struct request *r)
{
    char err[600];
    struct topo_coll c;
    int32_t *const place = calloc((size_t)r->nranks, sizeof *place);
    if (!place)
        return command_failed("no memory for %d ranks", r->nranks);
    const int each = topo_ngpus(t) / topo_nnodes(t); // GPUs per node
    const int used = r->nnodes ? r->nranks / r->nnodes : each;
    for (int i = 0; i < r->nranks; i++)
        place[i] = i / used * each + i % used;
    const int failed =
        topo_collective(t, r->operation, place, r->nranks, r->nbytes, r->algos,
                        r->protos, &c, err, sizeof err);
    int status = failed ? command_failed("%s", err) : print(r, &c);
    if (status == 0 && r->nccl)
        status = print_nccl(t, r, place);
    free(place);
    topo_coll_release(&c);
    return status;
}

int cmd_collective(int argc, char **argv)
{
    struct request r = {0};
    int status = read_arguments(argc, argv, &r);
    if (status == 0)
        status = read_values(&r);
    if (status != 0)
        return status;
    struct topo *const t = command_topo(r.topo);
    if (!t)
        return COMMAND_FAILED;
    status = check_machine(t, &r);
    if (status == 0)
        status = model(t, &r);
    topo_free(t);
    return status;
}

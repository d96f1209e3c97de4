#define _GNU_SOURCE
#include "core/clock/model.h"

#include <stdatomic.h> /* atomic_flag */
#include <stdio.h>     /* snprintf */
#include <stdlib.h>    /* getenv */
#include <string.h>    /* strncmp */
#include <unistd.h>    /* environ */

#include "core/proc.h"
#include "graph/record/live.h"
#include "graph/replay/replay.h"

int simgpu_model_sets(struct topo_sets *algos, struct topo_sets *protos,
                      char *err, size_t err_nbytes)
{
    char why[400];
    struct topo_sets ignored;
    const char *bad = NULL;
    if (topo_algo_sets(getenv("NCCL_ALGO"), algos ? algos : &ignored, why,
                       sizeof why) != 0)
        bad = "NCCL_ALGO";
    else if (topo_proto_sets(getenv("NCCL_PROTO"), protos ? protos : &ignored,
                             why, sizeof why) != 0)
        bad = "NCCL_PROTO";
    if (bad)
        snprintf(err, err_nbytes, "%s: %s", bad, why);
    return bad ? -1 : 0;
}

static void remark(void *user, const char *line)
{
    (void)user;
    fprintf(stderr, "simgpu: %s\n", line);
}

void simgpu_model_remarks(void)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&said))
        topo_settings(NULL, environ, remark, NULL);
}

int simgpu_model_choice(enum topo_op op, const int32_t *place, int n,
                        uint64_t bytes, struct model_choice *out, char *err,
                        size_t err_nbytes)
{
    struct topo_coll c;
    struct topo_sets algos, protos;
    if (simgpu_model_sets(&algos, &protos, err, err_nbytes) != 0 ||
        topo_collective(simgpu_proc()->topo, op, place, n, bytes, algos.of[op],
                        protos.of[op], &c, err, err_nbytes) != 0)
        return -1;
    *out =
        (struct model_choice){topo_algo_name(c.algo), topo_proto_name(c.proto),
                              (double)c.time_ps * 1e-6};
    topo_coll_release(&c);
    return 0;
}

/* ---- a replay of operations not yet issued ------------------------------- */

static int known_before(const struct model_op *ops, int i)
{
    for (int k = 0; k < i; k++)
        if (ops[k].key == ops[i].key)
            return 1;
    return 0;
}

/* Add the nodes of an operation's ranks, as if one process drove all of them,
 * with a queue for each GPU. */
static void add_nodes(struct graph_segment *g, const struct model_op *o)
{
    const int message = o->op == TOPO_OP_SENDRECV;
    for (int i = 0; i < o->nplaces; i++) {
        const struct graph_node n = {
            .kind = !message ? GRAPH_COLL
                    : i      ? GRAPH_RECV
                             : GRAPH_SEND,
            .match_kind = message ? GRAPH_MATCH_PAIR : GRAPH_MATCH_ALL,
            .op = (uint8_t)o->op,
            .queue = (uint32_t)o->place[i] + 1,
            .place = o->place[i],
            .peer_place = o->place[message ? !i : i],
            .match = o->key,
            .match_size = (uint32_t)o->nplaces,
            .match_rank = (uint32_t)i,
            .bytes = o->bytes,
            .group = 1,
        };
        graph_add(g, &n, NULL, NULL, NULL);
    }
}

/* Replay nodes 1..n of g. *ps is the time at which the last one ends. */
static int replay_all(struct graph_segment *g, uint32_t n, uint64_t *ps,
                      char *err, size_t err_nbytes)
{
    struct replay_options options = {0};
    struct graph_ref *const roots = calloc(n, sizeof *roots);
    struct graph_live *const live = graph_live_new(1);
    struct graph *past = NULL;
    struct replay *replay = NULL;
    snprintf(err, err_nbytes, "no memory");
    if (simgpu_model_sets(&options.algos, &options.protos, err, err_nbytes) !=
        0)
        goto out;
    if (!roots || !live || graph_live_attach(live, 0, graph_fd(g)) != 0 ||
        graph_live_update(live, err, err_nbytes) != 0)
        goto out;
    for (uint32_t i = 0; i < n; i++)
        roots[i] = (struct graph_ref){0, i + 1};
    past = graph_past(live, roots, n, 0, err, err_nbytes);
    if (past)
        replay =
            replay_run(past, simgpu_proc()->topo, &options, err, err_nbytes);
    if (replay)
        *ps = replay_end_ps(replay);
out:
    replay_free(replay);
    graph_free(past);
    graph_live_free(live);
    free(roots);
    return replay ? 0 : -1;
}

int simgpu_model_estimate(const struct model_op *ops, int n, uint64_t *ps,
                          char *err, size_t err_nbytes)
{
    uint32_t nodes = 0;
    struct graph_segment *const g = graph_open(0, 1, NULL);
    if (!g) {
        snprintf(err, err_nbytes, "no memory");
        return -1;
    }
    for (int i = 0; i < n; i++)
        if (!known_before(ops, i)) {
            add_nodes(g, &ops[i]);
            nodes += (uint32_t)ops[i].nplaces;
        }
    const int result = nodes ? replay_all(g, nodes, ps, err, err_nbytes) : 0;
    graph_close(g);
    return result;
}

int simgpu_model_channels(const int32_t *place, int n)
{
    return topo_channels(simgpu_proc()->topo, place, n);
}

void simgpu_model_ring(const int32_t *place, int n, int channel, int *rank)
{
    topo_ring(simgpu_proc()->topo, place, n, channel, rank);
}

int simgpu_model_nodes(const int32_t *place, int n)
{
    const struct topo *const t = simgpu_proc()->topo;
    int nodes = 0;
    for (int i = 0; i < n; i++) {
        int k = 0;
        while (topo_gpu(t, place[k])->node != topo_gpu(t, place[i])->node)
            k++;
        nodes += k == i;
    }
    return nodes;
}

enum model_reach simgpu_model_reach(int32_t a, int32_t b)
{
    const struct topo *const t = simgpu_proc()->topo;
    if (a != b && !topo_p2p(t, a, b))
        return MODEL_NONE;
    return topo_multicast(t, a, b) ? MODEL_MULTICAST : MODEL_LOADS;
}

void simgpu_model_bus_id(int32_t place, char *out, size_t nbytes)
{
    const struct topo_gpu *const gpu = topo_gpu(simgpu_proc()->topo, place);
    snprintf(out, nbytes, "%s", gpu ? gpu->bus_id : "");
}

/*
 * clock.c: answering timing calls by replay
 *
 * What a host thread knows of time is the end of the last operation that it
 * waited for, plus the host time of its calls since then. The first takes a
 * replay of that operation's causal past, from the last cut before it
 * (graph/record/live.h). The second is a sum, so that a program that reads the
 * clock repeatedly pays for one replay.
 *
 *     cut k          join              now
 *     --|----- ... ----|---call--call---|       time = cut_ps[k]
 *        \____________/                              + replay of the past
 *        causal past, of all ranks                   + the calls' host time
 *
 * The time of each cut is computed once, from the cut before it and the cut's
 * own past, by the same rule on every rank, so all ranks agree on it.
 */
#define _GNU_SOURCE
#include "core/clock/clock.h"

#include <errno.h>   /* errno */
#include <pthread.h> /* pthread_mutex_t */
#include <stdlib.h>  /* realloc */
#include <time.h>    /* nanosleep */
#include <unistd.h>  /* close */

#include "core/clock/model.h"
#include "core/limit.h"
#include "core/peer.h"
#include "core/proc.h"
#include "core/report.h"
#include "core/thread.h"
#include "graph/record/live.h"
#include "graph/replay/cost.h"
#include "graph/replay/replay.h"

enum { RETRY_NS = 200000, RETRIES = 25000 }; /* 5 s in total */

/* This file's only state. */
static struct {
    pthread_mutex_t lock;
    struct graph_live *live;
    struct replay_options options;
    uint64_t *cut_ps; /* times of cuts 1, 2, ..., as far as needed so far */
    uint32_t ncuts;
    int given_up; /* see simgpu_clock_note_abort() */
    struct {      /* the latest replay, which the next call can often use */
        uint32_t cut;
        struct graph_ref root;
        struct graph *graph;
        struct replay *replay;
    } last;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local uint64_t latest_ps; /* this thread's last answer */

/* ---- the job's graph ----------------------------------------------------- */

static void start(void)
{
    state.live = graph_live_new(simgpu_proc()->nranks);
    if (!state.live)
        simgpu_report_fault(NULL,
                            "out of host memory for the graph of %u ranks",
                            simgpu_proc()->nranks);
    char err[400];
    if (simgpu_model_sets(&state.options.algos, &state.options.protos, err,
                          sizeof err) != 0)
        simgpu_report_fault(NULL, "%s", err);
    state.options.costs = cost_table_new(simgpu_proc()->topo, &state.options);
    if (!state.options.costs)
        simgpu_report_fault(NULL,
                            "out of host memory for the costs of operations");
}

static _Noreturn void cannot_read_graph(uint32_t rank)
{
    char hint[LIMIT_HINT];
    simgpu_report_fault(NULL,
                        "modelled time: cannot read the execution graph of "
                        "rank %u: %m%s",
                        rank, simgpu_limit_hint(errno, hint, sizeof hint));
}

/* Map a rank's segment, unless that rank is still unknown or has ended. */
static void attach(uint32_t rank)
{
    if (rank == simgpu_proc()->rank) {
        if (graph_live_attach(state.live, rank,
                              graph_fd(simgpu_proc()->graph)) != 0)
            cannot_read_graph(rank);
        return;
    }
    const struct peer *const peer = peer_find(rank);
    const int fd = peer_open_graph(peer);
    const int err = errno;
    if (fd < 0) {
        const int alive = peer && peer_alive(peer);
        errno = err;
        if (alive)
            cannot_read_graph(rank);
        return;
    }
    if (graph_live_attach(state.live, rank, fd) != 0)
        cannot_read_graph(rank);
    close(fd);
}

/* Read what the ranks have recorded since the last call. */
static void update(void)
{
    char err[256], hint[LIMIT_HINT];
    if (!state.live)
        start();
    for (uint32_t rank = 0; rank < simgpu_proc()->nranks; rank++)
        if (!graph_live_attached(state.live, rank))
            attach(rank);
    errno = 0; // if the graph is damaged, no system limit is to blame
    if (graph_live_update(state.live, err, sizeof err) != 0)
        simgpu_report_fault(NULL, "modelled time: %s%s", err,
                            simgpu_limit_hint(errno, hint, sizeof hint));
}

void clock_keep_graphs(void)
{
    pthread_mutex_lock(&state.lock);
    update();
    pthread_mutex_unlock(&state.lock);
}

/* ---- replays ------------------------------------------------------------- */

/* True if a communicator has been aborted in this job. */
static int anyone_aborted(void)
{
    int aborted = atomic_load(&control_own()->aborted) != 0;
    for (const struct peer *p = peer_first(); p; p = p->next)
        aborted |= atomic_load(&p->control->aborted) != 0;
    return aborted;
}

/*
 * The past of the roots after a cut. A peer may be just about to record what
 * one of this process's operations waits for, so missing parts are awaited.
 * Returns NULL if they will never come, because their communicator has been
 * aborted.
 */
static struct graph *find_past(const struct graph_ref *roots, size_t n,
                               uint32_t cut)
{
    char err[512];
    for (int i = 0; i < RETRIES; i++) {
        if (i > RETRIES / 50 && anyone_aborted()) {
            state.given_up = 1;
            return NULL;
        }
        struct graph *const g =
            graph_past(state.live, roots, n, cut, err, sizeof err);
        if (g)
            return g;
        nanosleep(&(struct timespec){0, RETRY_NS}, NULL);
        update();
    }
    simgpu_report_fault(NULL, "modelled time: %s", err);
}

static uint64_t cut_ps(uint32_t cut)
{
    return cut ? state.cut_ps[cut - 1] : 0;
}

/* Replay the past of the roots; was_asked() recognises the replay by the first
 * root. Returns -1 if the past never becomes complete. */
static int ask(const struct graph_ref *roots, size_t n, uint32_t cut)
{
    char err[512];
    struct replay_options options = state.options;
    options.base_ps = cut_ps(cut);
    replay_free(state.last.replay);
    graph_free(state.last.graph);
    state.last.cut = cut;
    state.last.root = roots[0];
    state.last.replay = NULL;
    state.last.graph = find_past(roots, n, cut);
    if (!state.last.graph)
        return -1;
    state.last.replay = replay_run(state.last.graph, simgpu_proc()->topo,
                                   &options, err, sizeof err);
    if (!state.last.replay)
        simgpu_report_fault(NULL, "modelled time: %s", err);
    return 0;
}

/* True if the latest replay covers these roots, with
 * the ends of their nodes. */
static int was_asked(const struct graph_ref *roots, size_t n, uint32_t cut)
{
    if (!state.last.replay || state.last.cut != cut ||
        state.last.root.index != roots[0].index)
        return 0;
    for (size_t i = 1; i < n; i++) {
        const struct graph_view *const v =
            graph_node_at(state.last.graph, roots[i]);
        // has only been issued
        if (roots[i].index && (!v || v->node.queue == 0))
            return 0;
    }
    return 1;
}

static int know_cuts(uint32_t cuts)
{
    while (state.ncuts < cuts) {
        const uint32_t next = state.ncuts + 1;
        const struct graph_ref root =
            graph_live_cut_node(state.live, next, simgpu_proc()->rank);
        uint64_t *const larger =
            realloc(state.cut_ps, next * sizeof *state.cut_ps);
        if (!larger)
            simgpu_report_fault(NULL, "out of host memory for %u cuts", next);
        state.cut_ps = larger;
        if (!was_asked(&root, 1, state.ncuts) &&
            ask(&root, 1, state.ncuts) != 0)
            return -1;
        larger[state.ncuts] = replay_node(state.last.replay, root)->end_ps;
        state.ncuts = next;
    }
    return 0;
}

/* The number of the cut that consists of this node on its
 * rank, 0 if there is none. */
static uint32_t cut_at(struct graph_ref ref, uint32_t before)
{
    const struct graph_ref end = {ref.rank, UINT32_MAX};
    return graph_live_cut(state.live, end) > before &&
                   graph_live_cut_node(state.live, before + 1, ref.rank)
                           .index == ref.index
               ? before + 1
               : 0;
}

/* The end of node `join` of this rank, for a thread that has waited for it. */
static int join_ps(struct graph_ref join, uint64_t *ps)
{
    *ps = 0;
    if (join.index == 0)
        return 0;
    const uint32_t cut = graph_live_cut(state.live, join);
    const uint32_t itself = cut_at(join, cut);
    if (know_cuts(itself ? itself : cut) != 0 ||
        (!itself && !was_asked(&join, 1, cut) && ask(&join, 1, cut) != 0))
        return -1;
    *ps =
        itself ? cut_ps(itself) : replay_node(state.last.replay, join)->end_ps;
    return 0;
}

/*
 * The end of a device operation. Once the thread knows a cut after the
 * operation, it knows every operation that could have overlapped it. Until
 * then, the roots are what the thread has waited for and both operations of the
 * query.
 */
static uint64_t fence_ps(struct graph_ref ref, struct graph_ref join,
                         struct graph_ref other)
{
    const uint32_t cut = graph_live_cut(state.live, ref);
    const uint32_t at_join = cut_at(join, graph_live_cut(state.live, join));
    const uint32_t known = at_join ? at_join : graph_live_cut(state.live, join);
    struct graph_ref roots[] = {join, ref, other};
    if (known > cut)
        roots[0] = graph_live_cut_node(state.live, cut + 1, ref.rank);
    const size_t n = known > cut ? 2 : 3;
    if (know_cuts(cut) != 0 ||
        (!was_asked(roots, n, cut) && ask(roots, n, cut) != 0))
        simgpu_report_fault(
            NULL, "modelled time: a communicator was aborted, and with it "
                  "operations that an event depends on, so there is no "
                  "elapsed time");
    return replay_node(state.last.replay, ref)->end_ps;
}

/* ---- queries ------------------------------------------------------------- */

/* True if SIMGPU_RECORD is set, by tests/bench/recording.sh, to
 * measure without replays. */
static int is_unasked(void)
{
    return getenv("SIMGPU_RECORD") != NULL;
}

int64_t clock_machine_ns(clockid_t id)
{
    struct timespec t = {0, 0};
    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Without replays there is no modelled time, so this machine's time is used. */
static uint64_t real_ps(void)
{
    return (uint64_t)clock_machine_ns(CLOCK_MONOTONIC) * 1000;
}

uint64_t clock_host_ps(void)
{
    const struct proc *const p = simgpu_proc();
    if (is_unasked())
        return real_ps();
    pthread_mutex_lock(&state.lock);
    update();
    const struct graph_moment now =
        graph_live_host(state.live, p->rank, thread_number());
    uint64_t ps;
    if (state.given_up || join_ps(now.join, &ps) != 0)
        ps = latest_ps + p->costs->api_host_ps;
    else
        ps += now.host_ps;
    pthread_mutex_unlock(&state.lock);
    if (ps > latest_ps)
        latest_ps = ps;
    return latest_ps;
}

void simgpu_clock_note_abort(void)
{
    atomic_store(&control_own()->aborted, 1);
}

float clock_elapsed_ms(struct fence a, struct fence b)
{
    const struct proc *const p = simgpu_proc();
    const struct graph_ref from = {p->rank, a.node}, to = {p->rank, b.node};
    if (is_unasked())
        return 0;
    pthread_mutex_lock(&state.lock);
    update();
    const struct graph_ref join =
        graph_live_host(state.live, p->rank, thread_number()).join;
    const uint64_t from_ps = fence_ps(from, join, to);
    const uint64_t to_ps = fence_ps(to, join, from);
    pthread_mutex_unlock(&state.lock);
    return (float)((double)(int64_t)(to_ps - from_ps) * 1e-9);
}

int simgpu_clock_span(uint32_t node, uint64_t *start_ps, uint64_t *end_ps)
{
    const struct graph_ref ref = {simgpu_proc()->rank, node};
    *start_ps = *end_ps = 0;
    if (is_unasked())
        return -1;
    pthread_mutex_lock(&state.lock);
    update();
    const uint32_t cut = graph_live_cut(state.live, ref);
    int err = state.given_up || know_cuts(cut) != 0;
    if (!err && !was_asked(&ref, 1, cut))
        err = ask(&ref, 1, cut) != 0;
    if (!err) {
        const struct replay_time span = *replay_node(state.last.replay, ref);
        *start_ps = span.start_ps;
        *end_ps = span.end_ps;
    }
    pthread_mutex_unlock(&state.lock);
    return err ? -1 : 0;
}

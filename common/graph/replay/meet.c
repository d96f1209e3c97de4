#include "graph/replay/replay_run.h"

/*
 * The time from the moment when all members that node `at` waits for are ready.
 * The size is the root's, which has the data, or in a symmetric operation the
 * largest of any rank. Data crosses the network if any of these members is on
 * another machine node.
 */
static uint64_t mpi_ps(const struct replay_run *r, uint32_t at)
{
    uint32_t n;
    const uint32_t *const member = graph_matched(r->g, at, &n);
    struct graph_node asked = *run_node(r, at);
    const struct graph_node *other = run_node(r, at);
    const enum graph_match kind = graph_time_match(&asked);
    for (uint32_t i = 0; i < n; i++) {
        const struct graph_node *const m = run_node(r, member[i]);
        const int is_root = m->match_rank == m->match_root;
        if (kind == GRAPH_MATCH_ALL && m->bytes > asked.bytes)
            asked.bytes = m->bytes;
        if (is_root &&
            (kind == GRAPH_MATCH_FROM_ROOT || kind == GRAPH_MATCH_MESSAGE))
            asked.bytes = m->bytes;
        if ((is_root || kind == GRAPH_MATCH_ALL) && m->place != asked.place)
            other = m;
    }
    return cost_mpi_ps(r->costs, &asked, other);
}

static int end_host_at(struct replay_run *r, uint32_t at, uint64_t ps)
{
    return run_schedule(r, at, PHASE_END,
                        run_after(ps, run_node(r, at)->latency_ps));
}

/* All members wait for all, and end together. */
static int meet_all(struct replay_run *r, const uint32_t *member, uint32_t n,
                    uint64_t now_ps)
{
    uint64_t latency_ps = 0;
    for (uint32_t i = 0; i < n; i++) {
        r->time[member[i]].start_ps = now_ps;
        if (run_node(r, member[i])->latency_ps > latency_ps)
            latency_ps = run_node(r, member[i])->latency_ps;
    }
    const uint64_t end_ps =
        run_after(run_after(now_ps, mpi_ps(r, member[0])), latency_ps);
    for (uint32_t i = 0; i < n; i++)
        if (run_schedule(r, member[i], PHASE_END, end_ps) != 0)
            return -1;
    return 0;
}

/* The root's data reaches each of the others. A member that is not ready by
 * then takes the data when it is. */
static int meet_root(struct replay_run *r, uint32_t at, const uint32_t *member,
                     uint32_t n, uint64_t now_ps)
{
    struct node_state *const m = &r->state[member[0]];
    const struct graph_node *const root = run_node(r, at);
    const int stays = root->match_kind != GRAPH_MATCH_MESSAGE;
    r->time[at].start_ps = now_ps;
    if (root->match_rank != root->match_root) {
        if (m->arrival_ps == UINT64_MAX)
            return 0; // the root will schedule it
        const uint64_t come = run_after(m->arrival_ps, mpi_ps(r, at));
        return end_host_at(r, at, come > now_ps ? come : now_ps);
    }
    m->arrival_ps = now_ps;
    for (uint32_t i = 0; i < n; i++)
        if (member[i] != at && r->state[member[i]].ready &&
            end_host_at(r, member[i],
                        run_after(now_ps, mpi_ps(r, member[i]))) != 0)
            return -1;
    return end_host_at(r, at,
                       stays ? run_after(now_ps, mpi_ps(r, at)) : now_ps);
}

/* The others' data reaches the root, for which they don't wait. */
static int meet_at_root(struct replay_run *r, uint32_t at,
                        const uint32_t *member, uint32_t n, uint64_t now_ps)
{
    struct node_state *const m = &r->state[member[0]];
    const uint64_t come = run_after(now_ps, mpi_ps(r, at));
    r->time[at].start_ps = now_ps;
    if (m->nready == 1 || come > m->arrival_ps)
        m->arrival_ps = come;
    if (run_node(r, at)->match_rank != run_node(r, at)->match_root &&
        end_host_at(r, at, come) != 0)
        return -1;
    for (uint32_t i = 0; i < n && m->nready == n; i++)
        if (run_node(r, member[i])->match_rank == run_node(r, at)->match_root)
            return end_host_at(r, member[i], m->arrival_ps);
    return 0;
}

int run_meet(struct replay_run *r, uint32_t at, uint64_t now_ps)
{
    uint32_t n;
    const uint32_t *const member = graph_matched(r->g, at, &n);
    switch (graph_time_match(run_node(r, at))) {
    case GRAPH_MATCH_MESSAGE:
    case GRAPH_MATCH_FROM_ROOT: return meet_root(r, at, member, n, now_ps);
    case GRAPH_MATCH_TO_ROOT: return meet_at_root(r, at, member, n, now_ps);
    default:
        return r->state[member[0]].nready == n ? meet_all(r, member, n, now_ps)
                                               : 0;
    }
}

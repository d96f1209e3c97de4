#define _GNU_SOURCE
#include "graph/replay/harm.h"

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* realloc */
#include <string.h> /* strcmp */

#include "graph/replay/overlap.h"

/* The rate of a link that is down: it has to end before anything passes. */
static const double DOWN = 1e-9;

static uint64_t until_ps(const struct graph_harm *h)
{
    return h->for_ps && h->for_ps < AGENDA_NEVER - h->at_ps
               ? h->at_ps + h->for_ps
               : AGENDA_NEVER;
}

/* ---- links --------------------------------------------------------------- */

/* True for a link: not a memory, a copy engine or a device's compute. */
static int is_link(const struct topo *topo, int resource)
{
    static const char *const begins[] = {"nvlink", "c2c",  "pcie",
                                         "socket", "out ", "in "};
    const char *const name = topo_resource(topo, resource)->name;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (strncmp(name, begins[i], strlen(begins[i])) == 0)
            return 1;
    return 0;
}

/* Find the resources of a link, or NIC. Returns their number. */
static int find_links(const struct topo *topo, const struct graph_harm *h,
                      int out[TOPO_MAX_PATH])
{
    struct topo_path path;
    int n = 0;
    if (h->peer == HARM_NIC) {
        char ends[2][48];
        const int nnics = topo_nnics(topo);
        if (h->place < 0 || nnics == 0 || h->place >= nnics * topo_nnodes(topo))
            return 0;
        const char *const nic = topo_nic_name(topo, h->place % nnics);
        snprintf(ends[0], sizeof ends[0], "out %.24s n%d", nic,
                 h->place / nnics);
        snprintf(ends[1], sizeof ends[1], "in %.24s n%d", nic,
                 h->place / nnics);
        for (int r = 0; r < topo_nresources(topo) && n < 2; r++)
            if (strcmp(topo_resource(topo, r)->name, ends[0]) == 0 ||
                strcmp(topo_resource(topo, r)->name, ends[1]) == 0)
                out[n++] = r;
        return n;
    }
    if (h->place == h->peer || h->place < 0 || h->peer < 0 ||
        topo_path(topo, h->place, h->peer, TOPO_DIRECT, &path) != 0)
        return 0;
    for (int i = 0; i < path.nresources; i++)
        if (is_link(topo, path.resource[i]))
            out[n++] = path.resource[i];
    return n;
}

static int add_moment(struct harms *hs, uint64_t ps, int resource, double part)
{
    struct harm_moment *const larger =
        realloc(hs->moment, (hs->n + 1) * sizeof *larger);
    if (!larger)
        return -1;
    hs->moment = larger;
    size_t i = hs->n++;
    for (; i && larger[i - 1].ps > ps; i--)
        larger[i] = larger[i - 1];
    larger[i] = (struct harm_moment){ps, resource, part};
    return 0;
}

static int add_link(struct harms *hs, const struct topo *topo,
                    const struct graph_harm *h)
{
    int link[TOPO_MAX_PATH];
    const int n = find_links(topo, h, link);
    for (int i = 0; i < n; i++)
        if (add_moment(hs, h->at_ps, link[i],
                       h->factor > DOWN ? h->factor : DOWN) != 0 ||
            (until_ps(h) < AGENDA_NEVER &&
             add_moment(hs, until_ps(h), link[i], 1) != 0))
            return -1;
    return n;
}

int harms_init(struct harms *hs, const struct graph *g, const struct topo *topo,
               char *err, size_t err_nbytes)
{
    uint32_t rank = GRAPH_NOWHERE; // each rank has noted the same links
    *hs = (struct harms){.g = g};
    for (size_t i = 0; i < g->nharms; i++) {
        const struct graph_harm_note *const h = &g->harms[i];
        if (h->harm->kind != GRAPH_LINK)
            continue;
        if (rank == GRAPH_NOWHERE)
            rank = h->rank;
        const int n = h->rank == rank ? add_link(hs, topo, h->harm) : 1;
        if (n > 0)
            continue;
        snprintf(err, err_nbytes, "%s: %s%s", h->text,
                 n ? "no memory" : "there is no such link on ",
                 n ? "" : topo_name(topo));
        return -1;
    }
    return 0;
}

void harms_release(struct harms *hs)
{
    free(hs->moment);
}

uint64_t harms_next_ps(const struct harms *hs)
{
    return hs->next < hs->n ? hs->moment[hs->next].ps : AGENDA_NEVER;
}

void harms_change(struct harms *hs, struct flows *flows, uint64_t now_ps)
{
    for (; hs->next < hs->n && hs->moment[hs->next].ps <= now_ps; hs->next++)
        flows_scale(flows, hs->moment[hs->next].resource,
                    hs->moment[hs->next].part);
}

/* ---- hosts and GPUs ------------------------------------------------------ */

/* True if the harm is of this kind, and lasts at this time, for the node. */
static int strikes(const struct graph_harm_note *h, enum graph_harm_kind kind,
                   const struct graph_view *v, uint64_t now_ps)
{
    return h->harm->kind == kind && h->rank == v->node.rank &&
           h->harm->index <= v->node.index && h->harm->at_ps <= now_ps &&
           now_ps < until_ps(h->harm) &&
           (!h->span[0] || strcmp(h->span, v->span) == 0);
}

/* A stall without a node stops the host from at_ps until the stall ends. */
static uint64_t stalled_end_ps(const struct graph_harm *h, uint64_t begin_ps,
                               uint64_t end_ps)
{
    const uint64_t until = until_ps(h);
    if (end_ps <= h->at_ps || begin_ps >= until)
        return end_ps;
    return end_ps + (until - (begin_ps > h->at_ps ? begin_ps : h->at_ps));
}

uint64_t harms_host_ps(const struct harms *hs, uint32_t at, uint64_t begin_ps,
                       uint64_t host_ps)
{
    const struct graph *const g = hs->g;
    const struct graph_view *const v = &g->nodes[at];
    double factor = 1;
    for (size_t i = 0; i < g->nharms; i++)
        if (strikes(&g->harms[i], GRAPH_SLOW, v, begin_ps) &&
            g->harms[i].harm->place == HARM_RANK)
            factor *= g->harms[i].harm->factor;
    uint64_t end_ps =
        begin_ps +
        (factor == 1 ? host_ps : (uint64_t)((double)host_ps * factor));
    for (size_t i = 0; i < g->nharms && v->part == 0; i++) {
        const struct graph_harm_note *const h = &g->harms[i];
        if (h->harm->kind != GRAPH_STALL || h->rank != v->node.rank)
            continue;
        if (h->harm->index == 0)
            end_ps = stalled_end_ps(h->harm, begin_ps, end_ps);
        else if (h->harm->index == v->node.index)
            end_ps += h->harm->for_ps;
    }
    return end_ps;
}

/* True if a kernel or fill, which starts now, is slowed by the harm. */
static int slows(const struct graph_harm_note *h, const struct graph_view *v,
                 uint64_t now_ps)
{
    return (v->node.kind == GRAPH_KERNEL || v->node.kind == GRAPH_MEMSET) &&
           strikes(h, GRAPH_SLOW, v, now_ps) &&
           (h->harm->place == HARM_RANK || h->harm->place == v->node.place);
}

void harms_cost(const struct harms *hs, uint32_t at, uint64_t now_ps,
                struct cost *cost)
{
    const struct graph *const g = hs->g;
    for (size_t i = 0; i < g->nharms; i++) {
        const struct graph_harm *const h = g->harms[i].harm;
        if (!slows(&g->harms[i], &g->nodes[at], now_ps))
            continue;
        cost->work *= h->factor;
        cost->latency_ps = (uint64_t)((double)cost->latency_ps * h->factor);
    }
}

/* ---- after the replay ---------------------------------------------------- */

int harm_costs(const struct graph_harm *h)
{
    return h->kind == GRAPH_STALL || h->kind == GRAPH_SLOW ||
           h->kind == GRAPH_LINK;
}

int harms_end(const struct graph *g)
{
    int any = 0;
    for (size_t i = 0; i < g->nharms && !g->is_part; i++)
        any |= g->harms[i].harm->kind == GRAPH_KILL;
    return any;
}

uint64_t harms_host_lost_ps(const struct graph *g,
                            const struct replay_time *time, uint32_t at)
{
    const uint32_t prev = graph_thread_prev(g, at);
    if (prev == GRAPH_NOWHERE || g->nharms == 0 || g->nodes[at].part)
        return 0;
    const struct graph_node *const before = &g->nodes[prev].node;
    const uint64_t begin_ps = before->queue && !(before->flags & GRAPH_JOIN)
                                  ? time[prev].issue_ps
                                  : time[prev].end_ps;
    const uint64_t end_ps = begin_ps + g->nodes[at].node.host_ps;
    return time[at].issue_ps > end_ps ? time[at].issue_ps - end_ps : 0;
}

uint64_t harms_lost_ps(const struct graph *g, const struct replay_time *time,
                       uint32_t at)
{
    const struct graph_view *const v = &g->nodes[at];
    const uint64_t took_ps = time[at].end_ps - time[at].start_ps;
    uint64_t lost_ps = harms_host_lost_ps(g, time, at);
    for (size_t i = 0; i < g->nharms; i++) {
        const struct graph_harm_note *const h = &g->harms[i];
        if (slows(h, v, time[at].start_ps))
            lost_ps += (uint64_t)((double)took_ps * (1 - 1 / h->harm->factor));
        if (h->harm->kind == GRAPH_LINK && v->node.queue && overlap_is_comm(v))
            lost_ps += took_ps;
    }
    return lost_ps;
}

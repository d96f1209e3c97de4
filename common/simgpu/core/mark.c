#include <sched.h>  /* sched_yield */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* malloc */

#include "core/host.h"
#include "core/schedule.h"
#include "core/stream_state.h"

int mark_passed(struct mark m)
{
    return !m.stream || atomic_load(&m.stream->completed) >= m.seq;
}

void mark_demand(struct mark m)
{
    if (!m.stream || !schedule_is_late())
        return;
    uint64_t before = atomic_load(&m.stream->demanded);
    while (before < m.seq &&
           !atomic_compare_exchange_weak(&m.stream->demanded, &before, m.seq))
        ;
    if (before < m.seq)
        stream_ring(m.stream);
}

/* "stream 2 of device 0 to finish 3 operations" */
static void describe_mark(const void *arg, char *out, size_t nbytes)
{
    const struct mark *const m = arg;
    snprintf(
        out, nbytes, "waits for %s %u of device %d, %llu operations behind",
        stream_kind_name(m->stream->kind), m->stream->queue, m->stream->device,
        (unsigned long long)(m->seq - atomic_load(&m->stream->completed)));
}

void mark_wait(struct mark m, const char *call, uint32_t site)
{
    if (mark_passed(m))
        return;
    struct stream *const s = m.stream;
    const struct wait_note note = {.call = call,
                                   .site = site,
                                   .describe = describe_mark,
                                   .arg = &m,
                                   .node = m.node};
    mark_demand(m);
    atomic_fetch_add(&s->waiters, 1);
    for (;;) {
        const uint32_t seen = atomic_load(&s->done);
        if (mark_passed(m))
            break;
        proc_wait(&s->done, seen, &note);
    }
    atomic_fetch_sub(&s->waiters, 1);
}

static void note_joined(struct mark m)
{
    pthread_mutex_lock(&m.stream->lock);
    m.stream->joined = m.seq;
    m.stream->joined_by = proc_thread();
    pthread_mutex_unlock(&m.stream->lock);
}

/* The host knows what the marks, all passed, knew. */
static void record_join(const struct mark *m, int n, const char *call,
                        uint32_t site)
{
    enum { FEW = 64 };
    struct graph_ref few[FEW];
    struct graph_ref *const deps =
        n <= FEW ? few : malloc((size_t)n * sizeof *deps);
    int ndeps = 0;
    if (!deps)
        proc_fault(NULL, "out of host memory for a synchronisation");
    for (int i = 0; i < n; i++)
        if (m[i].stream) {
            deps[ndeps++] = (struct graph_ref){proc()->rank, m[i].node};
            note_joined(m[i]);
        }
    host_record(call, site, proc()->costs->sync_host_ps, deps, ndeps);
    if (deps != few)
        free(deps);
}

void marks_join(const struct mark *m, int n, const char *call, uint32_t site)
{
    for (int i = 0; i < n; i++)
        mark_demand(m[i]);
    for (int i = 0; i < n; i++)
        mark_wait(m[i], call, site);
    record_join(m, n, call, site);
}

int marks_poll(const struct mark *m, int n, const char *call, uint32_t site)
{
    for (int i = 0; i < n; i++)
        if (!mark_passed(m[i])) {
            sched_yield(); // to those that it waits for
            return 0;
        }
    record_join(m, n, call, site);
    return 1;
}

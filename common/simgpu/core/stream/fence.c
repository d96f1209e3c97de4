#include "core/stream/fence.h"

#include <sched.h>  /* sched_yield */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* malloc */

#include "core/device.h" /* device_learn */
#include "core/heap/fault.h"
#include "core/host.h"
#include "core/polls.h"
#include "core/proc.h"
#include "core/report.h"
#include "core/schedule.h"
#include "core/stream/pending.h"
#include "core/stream/stream_state.h"
#include "core/stream/unwaited.h"
#include "core/thread.h"

int fence_passed(struct fence f)
{
    return !f.stream || atomic_load(&f.stream->completed) >= f.seq;
}

int fence_failed(struct fence f, int device)
{
    return f.stream && f.stream->device == device &&
           atomic_load(&f.stream->failed) <= f.seq;
}

/* Raise *most to seq. Returns true if it was less. */
static int lift(_Atomic uint64_t *most, uint64_t seq)
{
    uint64_t before = atomic_load(most);
    while (before < seq && !atomic_compare_exchange_weak(most, &before, seq))
        ;
    return before < seq;
}

void fence_demand(struct fence f)
{
    if (f.stream && schedule_is_late() && lift(&f.stream->demanded, f.seq))
        stream_ring(f.stream);
}

/* "waits for stream 2 of device 0, 3 operations to go" */
static void describe(const void *arg, char *out, size_t nbytes)
{
    const struct fence *const f = arg;
    const struct stream *const s = f->stream;
    snprintf(out, nbytes, "waits for %s %u of device %d, %llu operations to go",
             s->name, s->queue, s->device,
             (unsigned long long)(f->seq - atomic_load(&s->completed)));
}

/* Have the waiters woken when op seq has completed, or earlier. */
static void await(struct stream *s, uint64_t seq)
{
    uint64_t first = atomic_load(&s->awaited);
    while (seq < first &&
           !atomic_compare_exchange_weak(&s->awaited, &first, seq))
        ;
}

void fence_wait(struct fence f, const char *call, uint32_t site)
{
    if (fence_passed(f))
        return;
    struct stream *const s = f.stream;
    const struct wait_note note = {.call = call,
                                   .site = site,
                                   .describe = describe,
                                   .arg = &f,
                                   .node = f.node};
    fence_demand(f);
    for (;;) {
        const uint32_t seen = atomic_load(&s->done);
        // set before the check, so that a later completion wakes this thread
        await(s, f.seq);
        if (fence_passed(f))
            break;
        simgpu_wait(&s->done, seen, &note);
    }
}

void fence_signal(struct stream *s, uint64_t seq)
{
    atomic_store(&s->completed, seq);
    if (atomic_load(&s->awaited) > seq)
        return;
    atomic_store(&s->awaited, NOT_AWAITED); // waiters that remain set it again
    atomic_fetch_add(&s->done, 1);
    simgpu_wake(&s->done);
}

/* ---- the host's waits ---------------------------------------------------- */

static _Thread_local unsigned vain_polls; /* since the last wait ended */

static void note_joined(struct fence f)
{
    pthread_mutex_lock(&f.stream->lock);
    f.stream->joined = f.seq;
    f.stream->joined_by = thread_number();
    pthread_mutex_unlock(&f.stream->lock);
}

/* Record that the host is ordered after the fences, which have all passed. */
static void record_join(const struct fence *f, int n, const char *call,
                        uint32_t site)
{
    enum { FEW = 64 };
    struct graph_ref few[FEW];
    struct graph_ref *const deps =
        n <= FEW ? few : malloc((size_t)n * sizeof *deps);
    int ndeps = 0;
    if (!deps)
        simgpu_report_fault(NULL, "out of host memory for a synchronisation");
    fault_rest();
    for (int i = 0; i < n; i++)
        if (f[i].stream) {
            deps[ndeps++] = (struct graph_ref){simgpu_proc()->rank, f[i].node};
            note_joined(f[i]);
            pending_joined(f[i]);
            unwaited_joined(f[i]);
            const int device = f[i].stream->device;
            if (fence_failed(f[i], device))
                device_learn(device);
        }
    vain_polls = 0;
    simgpu_host_record(call, site, simgpu_proc()->costs->sync_host_ps, deps,
                       ndeps);
    if (deps != few)
        free(deps);
}

void simgpu_fence_join(const struct fence *f, int n, const char *call,
                       uint32_t site)
{
    for (int i = 0; i < n; i++)
        fence_demand(f[i]);
    for (int i = 0; i < n; i++)
        fence_wait(f[i], call, site);
    record_join(f, n, call, site);
}

/* Give the cores to those who work: yield at first, then sleep between polls,
 * but not longer than the operation takes. */
static void rest(struct fence f)
{
    enum { EAGER = 200, REST_NS = 100000 };
    const uint32_t seen = atomic_load(&f.stream->done);
    if (++vain_polls < EAGER) {
        sched_yield();
        return;
    }
    await(f.stream, f.seq);
    if (!fence_passed(f))
        simgpu_wait_for(&f.stream->done, seen, REST_NS, NULL);
}

int simgpu_fence_poll(const struct fence *f, int n, const char *call,
                      uint32_t site)
{
    for (int i = 0; i < n; i++)
        if (!fence_passed(f[i])) {
            lift(&f[i].stream->polled, f[i].seq);
            simgpu_poll_failed();
            rest(f[i]);
            return 0;
        }
    record_join(f, n, call, site);
    return 1;
}

int fence_is_polling(void)
{
    return vain_polls > 0;
}

#include "core/stream/unwaited.h"

#include <pthread.h> /* pthread_mutex_t */

#include "core/called.h"
#include "core/heap/heap.h"
#include "core/heap/heap_space.h" /* space_slot */
#include "core/host.h"
#include "core/proc.h"
#include "core/site.h"

/* Work beyond MAX_WORK streams is not watched. Nor is what host code touches
 * after MAX_RANGES ranges: a graph of that size takes long to check. */
enum { MAX_WORK = 64, MAX_RUNS = 8, MAX_RANGES = 1 << 16 };

/* The latest work of a thread in a stream that no thread has waited for. */
struct work {
    struct fence fence;
    pthread_t thread;
};

static struct work work[MAX_WORK];
static int nwork;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int unwaited_any;

/* Accesses of one instruction to adjacent bytes, which are one node. */
struct run {
    const void *pc; /* NULL: none */
    uint32_t node;
    struct graph_access is; /* from the first byte not yet recorded */
};

static _Thread_local struct {
    struct run run[MAX_RUNS];
    int next;       /* the run to be replaced */
    uint64_t calls; /* called_count() when the latest run began */
} my;
static _Atomic int nranges;

/* ---- work ---------------------------------------------------------------- */

void unwaited_issued(struct fence f)
{
    int i = 0;
    if (!heap_has_mapped())
        return;
    pthread_mutex_lock(&lock);
    while (i < nwork && !(work[i].fence.stream == f.stream &&
                          pthread_equal(work[i].thread, pthread_self())))
        i++;
    if (i < MAX_WORK)
        work[i] = (struct work){f, pthread_self()};
    nwork += i == nwork && i < MAX_WORK;
    unwaited_any = 1;
    pthread_mutex_unlock(&lock);
}

/* Forget the work of which is_over(work, of) is true. */
static void forget(int (*is_over)(const struct work *w, const void *of),
                   const void *of)
{
    int kept = 0;
    if (!unwaited_any)
        return;
    unwaited_flush();
    pthread_mutex_lock(&lock);
    for (int i = 0; i < nwork; i++)
        if (!is_over(&work[i], of))
            work[kept++] = work[i];
    nwork = kept;
    unwaited_any = nwork > 0;
    pthread_mutex_unlock(&lock);
}

static int is_before(const struct work *w, const void *fence)
{
    const struct fence *const f = fence;
    return w->fence.stream == f->stream && w->fence.seq <= f->seq;
}

void unwaited_joined(struct fence f)
{
    forget(is_before, &f);
}

static int is_own(const struct work *w, const void *unused)
{
    (void)unused;
    return pthread_equal(w->thread, pthread_self());
}

void unwaited_excuse(void)
{
    forget(is_own, NULL);
}

/* True if the calling thread has work pending. A thread that has none may have
 * learned from another one that the work is complete. */
static int has_work(void)
{
    int i = 0;
    pthread_mutex_lock(&lock);
    while (i < nwork && !pthread_equal(work[i].thread, pthread_self()))
        i++;
    const int found = i < nwork;
    pthread_mutex_unlock(&lock);
    return found;
}

/* ---- accesses ------------------------------------------------------------ */

static void publish(struct run *r)
{
    if (r->pc && r->is.begin < r->is.end)
        graph_amend(simgpu_proc()->graph, r->node, 0, NULL, 0, &r->is, 1);
    r->is.begin = r->is.end;
}

void unwaited_flush(void)
{
    for (int i = 0; i < MAX_RUNS; i++) {
        publish(&my.run[i]);
        my.run[i].pc = NULL;
    }
}

static void begin(const void *pc, struct graph_access a)
{
    struct run *const r = &my.run[my.next++ % MAX_RUNS];
    publish(r);
    a.site = simgpu_site(pc);
    *r = (struct run){pc, host_touch("host code", a.site, &a), a};
    r->is.begin = r->is.end;
    my.calls = called_count();
}

/* Add an access to the run of its instruction. Returns 0 if there is none. */
static int extend(const void *pc, const struct graph_access *a)
{
    struct run *r = my.run;
    while (r < my.run + MAX_RUNS &&
           !(r->pc == pc && r->is.write == a->write && r->is.alloc == a->alloc))
        r++;
    if (r == my.run + MAX_RUNS)
        return 0;
    if (a->begin != r->is.end) {
        publish(r);
        r->is.begin = a->begin;
        nranges++;
    }
    r->is.end = a->end;
    return 1;
}

void unwaited_touch(const void *p, size_t nbytes, int how, const void *pc)
{
    struct heap_block b;
    if (space_slot(p) < 0 || simgpu_heap_find(p, &b) != 0 ||
        !(b.managed || b.device == HEAP_PINNED) || nranges >= MAX_RANGES ||
        !has_work())
        return;
    const uint64_t at = (uint64_t)((const char *)p - b.base);
    const struct graph_access a = {
        .alloc = b.id, .begin = at, .end = at + nbytes, .write = (uint32_t)how};
    if (my.calls != called_count())
        unwaited_flush();
    if (extend(pc, &a))
        return;
    nranges++;
    begin(pc, a);
}

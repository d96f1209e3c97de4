#include "core/stream/pending.h"

#include <pthread.h>  /* pthread_mutex_t */
#include <string.h>   /* memmove */
#include <sys/mman.h> /* mprotect */
#include <unistd.h>   /* getpid */

#include "core/heap/fault.h"
#include "core/heap/heap.h"
#include "core/heap/heap_space.h" /* space_slot */
#include "core/heap/step.h"
#include "core/host.h"
#include "core/proc.h"
#include "core/stream/pending_pages.h"
#include "core/stream/stream_state.h"
#include "core/thread.h"

enum { MAX_PENDING = 1024 };

/* Protecting a page takes about as long as copying it, so of a long range the
 * first and the last bytes are watched. */
enum { WATCHED = 64 << 10 };

/* A step takes a few microseconds. An operation with more of them is not
 * watched any longer; of a program that has made MANY steps, with more than
 * FEW. */
enum { FEW = 64, STEPS = 4096, MANY = 100000 };

struct entry {
    struct pending is;
    char *first, *end; /* its pages; first == end: not protected */
    pthread_t thread;  /* enqueued the operation */
    int paused, steps;
    int signalled; /* pending_signal() */
};

/* All of these are protected by the lock. No thread touches the program's
 * memory while it holds it. */
static struct entry entries[MAX_PENDING];
static _Atomic int nentries;
static int is_over; /* the program ends */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* True if entries of the pages [first, end) ask for this protection. */
static int protects(const struct entry *e, int target, const char *first,
                    const char *end)
{
    return !e->paused && e->is.is_target == target && e->first < end &&
           first < e->end;
}

/* Give pages the protection that the entries ask for. */
static void protect(char *first, char *end)
{
    if (first < end)
        mprotect(first, (size_t)(end - first), PROT_READ | PROT_WRITE);
    for (int target = 0; target < 2; target++)
        for (int i = 0; i < nentries; i++) {
            const struct entry *const e = &entries[i];
            if (!protects(e, target, first, end))
                continue;
            char *const from = e->first > first ? e->first : first;
            char *const to = e->end < end ? e->end : end;
            mprotect(from, (size_t)(to - from), target ? PROT_NONE : PROT_READ);
        }
}

/* True if an entry already protects the same pages at least as much. */
static int is_covered(const struct entry *e)
{
    for (int i = 0; i < nentries; i++)
        if (!entries[i].paused && entries[i].first <= e->first &&
            entries[i].end >= e->end &&
            entries[i].is.is_target >= e->is.is_target)
            return 1;
    return 0;
}

/* True for entries that a condition selects. */
typedef int selects(const struct entry *e, const void *arg);

/* Remove entries, and then open their pages. */
static void drop(selects *is_selected, const void *arg)
{
    static char *opened[MAX_PENDING][2];
    int n = 0, kept = 0;
    for (int i = 0; i < nentries; i++) {
        const struct entry *const e = &entries[i];
        if (!is_selected(e, arg)) {
            entries[kept++] = *e;
            continue;
        }
        if (n && opened[n - 1][0] == e->first && opened[n - 1][1] == e->end)
            continue;
        opened[n][0] = e->first;
        opened[n++][1] = e->end;
    }
    nentries = kept;
    for (int i = 0; i < n; i++)
        protect(opened[i][0], opened[i][1]);
}

/* ---- accesses ------------------------------------------------------------ */

static int contains(const struct pending *p, const char *at)
{
    return at >= p->base && at < p->base + p->nbytes &&
           (size_t)(at - p->base) % p->pitch < p->width;
}

static int has_passed(const struct entry *e)
{
    return atomic_load(&e->is.fence.stream->completed) >= e->is.fence.seq;
}

/*
 * True if an access of the calling thread counts. An operation that is not
 * complete has certainly not been waited for. If it is complete, the thread may
 * have been told so by means that the graph doesn't show.
 */
static int counts(const struct entry *e)
{
    return !has_passed(e) ||
           (pthread_equal(e->thread, pthread_self()) && !e->signalled);
}

static struct graph_access access_to(const struct pending *p, const char *at,
                                     int how)
{
    struct graph_access a = p->access;
    a.begin += (uint64_t)(at - p->base);
    a.end = a.begin + 1;
    a.write = (uint32_t)how;
    return a;
}

static int is_part(const struct entry *e, const void *arg)
{
    const struct pending *const p = arg;
    return e->is.fence.stream == p->fence.stream &&
           e->is.fence.seq == p->fence.seq && e->is.base == p->base;
}

static int is_worker(void)
{
    return thread_or_worker() == UINT32_MAX ||
           getpid() != simgpu_proc()->id.pid;
}

/* The entry with a byte, or else one of its page; NULL if there is none. */
static struct entry *find(const char *at, int writes, int *hit)
{
    struct entry *neighbour = NULL;
    for (int i = 0; i < nentries; i++) {
        struct entry *const e = &entries[i];
        if (e->paused || at < e->first || at >= e->end)
            continue;
        *hit = contains(&e->is, at) && (writes || e->is.is_target);
        if (*hit)
            return e;
        neighbour = e;
    }
    return neighbour;
}

static void stepped(char *page)
{
    pthread_mutex_lock(&lock);
    protect(page, page + PENDING_PAGE);
    pthread_mutex_unlock(&lock);
}

/* Execute an access to other bytes of e's page. Returns false if there have
 * been too many, or if this processor can't. */
static int step(struct entry *e, const char *at, void *context)
{
    static int all;
    if (e->steps++ >= (all < MANY ? STEPS : FEW) ||
        !step_over(pending_page(at), context, stepped))
        return 0;
    all += all < MANY;
    mprotect(pending_page(at), PENDING_PAGE, PROT_READ | PROT_WRITE);
    return 1;
}

/* Called for a fault. Another thread may have opened the page since then, so an
 * address at which nothing is protected is tried again, once. */
static int touched(const void *p, int writes, int in_kernel, void *context)
{
    const int aside = in_kernel || is_worker();
    static _Thread_local const void *before;
    struct entry was = {.first = NULL};
    int hit = 0;
    pthread_mutex_lock(&lock);
    struct entry *const e = find(p, writes, &hit);
    const int again = !e && before != p;
    before = e ? NULL : p;
    if (e && aside) {
        e->paused = 1;
        protect(e->first, e->end);
    } else if (e && (hit || !step(e, p, context))) {
        was = *e;
        drop(is_part, &was.is);
    }
    pthread_mutex_unlock(&lock);
    if (hit && !aside && counts(&was)) {
        struct graph_access a =
            access_to(&was.is, p, writes ? GRAPH_WRITE : GRAPH_READ);
        a.site = fault_site(context);
        host_touch("host code", a.site, &a);
    }
    return e || again;
}

/* ---- system calls -------------------------------------------------------- */

/* An address in front of all protected pages, and one behind them. */
static char *_Atomic low, *_Atomic high;

static void widen(const struct entry *e)
{
    if (nentries == 0 || e->first < low)
        low = e->first;
    if (nentries == 0 || e->end > high)
        high = e->end;
}

int pending_touches(const void *p, size_t nbytes)
{
    return nentries > 0 && (const char *)p < high &&
           (const char *)p + nbytes > low;
}

/* The first of nbytes bytes at p that is one of the operation's, or NULL. */
static const char *first_common(const struct pending *is, const char *p,
                                size_t nbytes)
{
    const char *const from = p > is->base ? p : is->base;
    const size_t row = (size_t)(from - is->base) / is->pitch;
    const char *const next = is->base + (row + 1) * is->pitch;
    const char *const at = contains(is, from) || next < from ? from : next;
    return at < p + nbytes && contains(is, at) ? at : NULL;
}

struct loan {
    const char *p;
    size_t nbytes;
};

static int has_pages_of(const struct entry *e, const void *arg)
{
    const struct loan *const l = arg;
    return e->first < l->p + l->nbytes && l->p < e->end;
}

/* Remove an entry of which the call uses bytes. Returns 0 if there is none. */
static int take_used(const struct loan *l, int writes, struct entry *was,
                     const char **at)
{
    for (int i = 0; i < nentries; i++) {
        *was = entries[i];
        if (!writes && !was->is.is_target)
            continue;
        *at = first_common(&was->is, l->p, l->nbytes);
        if (!*at)
            continue;
        drop(is_part, &was->is);
        return 1;
    }
    return 0;
}

/* Open the pages of registered memory, which has no other address: for good, or
 * for a thread whose accesses don't count. */
static void open_for(const struct loan *l, int aside)
{
    if (!aside)
        drop(has_pages_of, l);
    for (int i = 0; i < nentries; i++)
        if (has_pages_of(&entries[i], l)) {
            entries[i].paused = 1;
            protect(entries[i].first, entries[i].end);
        }
}

void pending_lend(const void *p, size_t nbytes, int how, const char *call,
                  uint32_t site)
{
    const struct loan l = {p, nbytes};
    const int aside = is_worker();
    struct entry was;
    const char *at;
    pthread_mutex_lock(&lock);
    while (!aside && take_used(&l, how == GRAPH_WRITE, &was, &at)) {
        pthread_mutex_unlock(&lock);
        if (counts(&was)) {
            struct graph_access a = access_to(&was.is, at, how);
            a.site = site;
            host_touch(call, site, &a);
        }
        pthread_mutex_lock(&lock);
    }
    if (space_slot(p) < 0)
        open_for(&l, aside);
    pthread_mutex_unlock(&lock);
}

/* ---- the life of an entry ------------------------------------------------ */

static int is_replaced(const struct entry *e, const void *arg)
{
    const struct pending *const p = arg;
    return e->is.base >= p->base &&
           e->is.base + e->is.nbytes <= p->base + p->nbytes &&
           e->is.is_target <= p->is_target && p->width == p->pitch;
}

static void add(const struct entry *e)
{
    if (nentries == MAX_PENDING || is_over)
        return;
    const int covered = is_covered(e);
    widen(e);
    entries[nentries] = *e;
    nentries++;
    if (!covered)
        protect(e->first, e->end);
}

void pending_add(const struct pending *p)
{
    struct entry e = {.is = *p, .thread = pthread_self()};
    if (!pending_pages(p->base, p->nbytes, &e.first, &e.end) ||
        !fault_set_watch(touched))
        return;
    struct entry rest = e;
    if (e.end - e.first > 2 * WATCHED) {
        e.end = e.first + WATCHED;
        rest.first = rest.end - WATCHED;
    }
    pthread_mutex_lock(&lock);
    drop(is_replaced, p);
    add(&e);
    if (rest.end != e.end)
        add(&rest);
    pthread_mutex_unlock(&lock);
}

int pending_exists(void)
{
    return nentries > 0;
}

void pending_signal(void)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < nentries; i++)
        entries[i].signalled = 1;
    pthread_mutex_unlock(&lock);
}

static int is_joined(const struct entry *e, const void *arg)
{
    const struct fence *const f = arg;
    return e->is.fence.stream == f->stream && e->is.fence.seq <= f->seq;
}

void pending_joined(struct fence f)
{
    if (nentries == 0)
        return;
    pthread_mutex_lock(&lock);
    drop(is_joined, &f);
    pthread_mutex_unlock(&lock);
}

struct range {
    const char *base;
    size_t nbytes;
};

static int is_in(const struct entry *e, const void *arg)
{
    const struct range *const r = arg;
    return e->is.base < r->base + r->nbytes &&
           r->base < e->is.base + e->is.nbytes;
}

void pending_give_back(char *base, size_t nbytes, int how, const char *call,
                       uint32_t site)
{
    const struct range r = {base, nbytes};
    struct graph_access a;
    int n = 0;
    if (nentries == 0)
        return;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < nentries; i++)
        if (is_in(&entries[i], &r) && counts(&entries[i]) && n++ == 0)
            a = entries[i].is.access;
    drop(is_in, &r);
    pthread_mutex_unlock(&lock);
    if (n == 0)
        return;
    a.write = (uint32_t)how;
    a.site = site;
    host_touch(call, site, &a);
}

static int is_any(const struct entry *e, const void *arg)
{
    (void)e;
    (void)arg;
    return 1;
}

void pending_end(void)
{
    pthread_mutex_lock(&lock);
    drop(is_any, NULL);
    is_over = 1;
    pthread_mutex_unlock(&lock);
}

static void pause_at(const void *p, int paused)
{
    if (nentries == 0)
        return;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < nentries; i++)
        if (entries[i].is.base == p) {
            entries[i].paused = paused;
            protect(entries[i].first, entries[i].end);
        }
    pthread_mutex_unlock(&lock);
}

void pending_pause(const void *p)
{
    pause_at(p, 1);
}

void pending_resume(const void *p)
{
    pause_at(p, 0);
}

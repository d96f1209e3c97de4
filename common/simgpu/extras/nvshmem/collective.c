#include "extras/nvshmem/collective.h"

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* malloc */

#include "core/heap/heap.h"
#include "core/report.h"
#include "core/site.h"
#include "extras/nvshmem/move.h"
#include "extras/nvshmem/world.h"
#include "simgpu/kernel.h"
#include "simgpu/remote.h"

/*
 * Each PE of a team has, in its own memory:
 *
 *     words := round[ROUNDS], arrival[n], post[POSTS]
 *
 * A PE notifies another by setting a word in the other's memory to the number
 * of the collective. `round` is for barriers: in round k, a PE notifies the PE
 * that is 2^k further on.
 */
enum { ROUNDS = 32, POSTS = 4 };

/* A PE's call, which other PEs compare with theirs. */
struct post {
    uint64_t epoch;
    int32_t kind, op, type, root;
    uint64_t nbytes;
    char call[64];
    struct site_location site;
};

size_t coll_words_nbytes(int n)
{
    return (ROUNDS + (size_t)n) * sizeof(uint64_t) +
           POSTS * sizeof(struct post);
}

/* This PE's part in a team's collective. */
struct meeting {
    const struct shmem_request *r;
    const struct team *team;
    uint64_t epoch;
};

static uint64_t *word(const struct meeting *m, int pe, int i)
{
    return (uint64_t *)m->team->words[pe] + i;
}

static struct post *post_of(const struct meeting *m, int pe)
{
    char *const posts =
        m->team->words[pe] + (size_t)(ROUNDS + m->team->n) * sizeof(uint64_t);
    return (struct post *)simgpu_heap_raw(posts) + m->epoch % POSTS;
}

static void tell(const struct meeting *m, int pe, int i)
{
    FOR(m->r, simgpu_sync_store(word(m, pe, i), 8, m->epoch, SIMGPU_RELEASE));
}

static void await(const struct meeting *m, int i)
{
    FOR(m->r, simgpu_sync_wait(word(m, m->team->me, i), 8, m->epoch, 0));
}

/* ---- comparing the PEs' calls -------------------------------------------- */

/* Post this PE's call. epoch is 0 while the other members change. */
static void post(const struct meeting *m)
{
    const struct shmem_request *const r = m->r;
    struct post *const p = post_of(m, m->team->me);
    __atomic_store_n(&p->epoch, 0, __ATOMIC_SEQ_CST);
    p->kind = r->kind;
    p->op = r->op;
    p->type = r->type;
    p->root = r->root;
    p->nbytes = r->nelems * r->size;
    snprintf(p->call, sizeof p->call, "%s", r->call);
    simgpu_site_locate(simgpu_site(r->pc), &p->site);
    __atomic_store_n(&p->epoch, m->epoch, __ATOMIC_SEQ_CST);
}

/* Get what a PE has posted for this collective. Returns 0 if it has not posted
 * yet, or has moved on. */
static int read_post(const struct meeting *m, int pe, struct post *out)
{
    const struct post *const p = post_of(m, pe);
    if (__atomic_load_n(&p->epoch, __ATOMIC_SEQ_CST) != m->epoch)
        return 0;
    *out = *p;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return __atomic_load_n(&p->epoch, __ATOMIC_SEQ_CST) == m->epoch;
}

static int agree(const struct post *a, const struct post *b)
{
    return a->kind == b->kind && a->op == b->op && a->type == b->type &&
           a->root == b->root && a->nbytes == b->nbytes;
}

static void compare(const struct meeting *m)
{
    const struct post *const mine = post_of(m, m->team->me);
    for (int i = 0; i < m->team->n; i++) {
        struct post other;
        char site[256];
        if (!read_post(m, i, &other) || agree(&other, mine))
            continue;
        request_fault(
            m->r,
            "the PEs of the team don't call the same: PE %d calls it "
            "with %llu bytes and root %d, but PE %d calls %s with "
            "%llu bytes and root %d, at %s",
            m->team->pe[m->team->me], (unsigned long long)mine->nbytes,
            mine->root, m->team->pe[i], other.call,
            (unsigned long long)other.nbytes, other.root,
            simgpu_site_location_text(&other.site, site, sizeof site));
    }
}

static struct meeting next_meeting(const struct shmem_request *r,
                                   struct team *t)
{
    return (struct meeting){r, t,
                            __atomic_add_fetch(&t->epoch, 1, __ATOMIC_RELAXED)};
}

/* ---- algorithms ---------------------------------------------------------- */

static void sync_all(const struct meeting *m)
{
    const int n = m->team->n;
    for (int round = 0, step = 1; step < n; step *= 2, round++) {
        tell(m, (m->team->me + step) % n, round);
        await(m, round);
    }
}

/* Write n bytes to a PE's copy of `to`. */
static void give(const struct meeting *m, int pe, void *to, const void *from,
                 size_t nbytes)
{
    move_in(m->r, heap_of_pe(m->r, to, nbytes, m->team->pe[pe], "dest"), from,
            nbytes);
}

static void broadcast(const struct meeting *m)
{
    const struct shmem_request *const r = m->r;
    const struct team *const t = m->team;
    if (r->root < 0 || r->root >= t->n)
        request_fault(r, "root %d of a team of %d", r->root, t->n);
    if (t->me != r->root) {
        await(m, ROUNDS + r->root);
        return;
    }
    for (int i = 0; i < t->n; i++) {
        const int pe = (t->me + i) % t->n;
        if (pe != t->me || r->dest != r->source)
            give(m, pe, r->dest, r->source, r->nelems * r->size);
        if (pe != t->me)
            tell(m, pe, ROUNDS + t->me);
    }
}

/* fcollect and alltoall: each PE writes to all, then waits for all. */
static void exchange(const struct meeting *m)
{
    const struct shmem_request *const r = m->r;
    const struct team *const t = m->team;
    const size_t nbytes = r->nelems * r->size;
    char *const to = (char *)r->dest + (size_t)t->me * nbytes;
    for (int i = 0; i < t->n; i++) {
        const int pe = (t->me + i) % t->n;
        const char *const from =
            (const char *)r->source +
            (r->kind == REQUEST_ALLTOALL ? (size_t)pe * nbytes : 0);
        if (pe != t->me || to != from)
            give(m, pe, to, from, nbytes);
        if (pe != t->me)
            tell(m, pe, ROUNDS + t->me);
    }
    for (int i = 1; i < t->n; i++)
        await(m, ROUNDS + (t->me + i) % t->n);
}

/* The reduction of n elements at `source`, over all PEs in
 * order. The caller frees it. */
static char *reduced(const struct meeting *m, const char *source, size_t n)
{
    const struct shmem_request *const r = m->r;
    const size_t nbytes = n * r->size;
    char *const sum = malloc(2 * nbytes + 1), *const next = sum + nbytes;
    if (!sum)
        simgpu_report_fault(NULL, "out of host memory for %s", r->call);
    for (int pe = 0; pe < m->team->n; pe++) {
        move_in(r, pe ? next : sum,
                heap_of_pe(r, source, nbytes, m->team->pe[pe], "source"),
                nbytes);
        if (pe)
            reduce_into(r->op, r->type, sum, next, n);
    }
    return sum;
}

/*
 * Each PE reduces its share and writes it to all PEs. No other PE reads that
 * share, so dest may be the same as source. A barrier before it ensures that
 * all sources are complete, one after it that all results have arrived.
 */
static void reduce(const struct meeting *m, struct team *t)
{
    const struct shmem_request *const r = m->r;
    const size_t n = (size_t)t->n, me = (size_t)t->me;
    const size_t begin = r->nelems * me / n, end = r->nelems * (me + 1) / n;
    const int scatters = r->kind == REQUEST_REDUCESCATTER;
    const size_t at = (scatters ? me * r->nelems : begin) * r->size;
    const size_t count = scatters ? r->nelems : end - begin;
    sync_all(m);
    char *const sum = reduced(m, (const char *)r->source + at, count);
    const struct meeting after = next_meeting(r, t);
    if (scatters) { // other PEs may still be reading dest
        sync_all(&after);
        move_in(r, r->dest, sum, count * r->size);
    } else {
        for (int i = 0; i < t->n; i++)
            give(m, (t->me + i) % t->n, (char *)r->dest + at, sum,
                 count * r->size);
        sync_all(&after);
    }
    free(sum);
}

void coll_do(const struct shmem_request *r)
{
    struct team *const t = team_for(r, r->team);
    const struct meeting m = next_meeting(r, t);
    if (r->kind == REQUEST_BARRIER)
        simgpu_arrive();
    post(&m);
    compare(&m); // the later of two PEs finds both posts
    switch (r->kind) {
    case REQUEST_BROADCAST: broadcast(&m); break;
    case REQUEST_FCOLLECT:
    case REQUEST_ALLTOALL: exchange(&m); break;
    case REQUEST_REDUCE:
    case REQUEST_REDUCESCATTER: reduce(&m, t); break;
    default: sync_all(&m); break;
    }
}

/*
 * heap.c: the symmetric heap
 *
 * An allocation is a cudaMalloc on each PE, which all other PEs map. The table
 * of allocations also keeps freed ones, for messages.
 */
#include "core/heap/heap.h"

#include <pthread.h>
#include <stdlib.h> /* calloc */
#include <string.h> /* memcpy */

#include "core/clock/model.h"
#include "core/report.h"
#include "core/site.h"
#include "extras/nvshmem/world.h"
#include "simgpu/multicast.h"

static struct symmetric *table;
static size_t nsymmetric;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

/* ---- mapping ------------------------------------------------------------- */

char **heap_exchange(const struct shmem_request *r, const struct team *t,
                     void *mine)
{
    struct heap_ref ref, *const all = calloc((size_t)t->n, sizeof *all);
    char **const part = calloc((size_t)t->n, sizeof *part);
    if (!all || !part)
        simgpu_report_fault(NULL, "out of host memory for %s", r->call);
    if (simgpu_heap_export(mine, &ref) != 0)
        request_fault(r, "%s cannot be mapped by other PEs",
                      simgpu_pointer_text(mine).text);
    FOR(r, MPI_Allgather(&ref, sizeof ref, MPI_BYTE, all, sizeof ref, MPI_BYTE,
                         t->comm));
    for (int i = 0; i < t->n; i++) {
        void *at = mine;
        if (i != t->me && simgpu_heap_import(&all[i], &at) != 0)
            request_fault(r, "cannot map the memory of PE %d", t->pe[i]);
        part[i] = at;
    }
    free(all);
    return part;
}

void heap_forget(const struct team *t, char **part)
{
    for (int i = 0; i < t->n; i++)
        if (i != t->me)
            simgpu_heap_unimport(part[i]);
    free(part);
}

/* ---- allocating ---------------------------------------------------------- */

struct offer { /* what a PE asks for */
    uint64_t nbytes;
    struct site_location site;
};

/* Check that all PEs ask for the same size. */
static void check_sizes(const struct shmem_request *r, const struct team *t,
                        size_t nbytes)
{
    struct offer mine = {.nbytes = nbytes};
    struct offer *const all = calloc((size_t)t->n, sizeof *all);
    char here[256], there[256];
    if (!all)
        simgpu_report_fault(NULL, "out of host memory for %s", r->call);
    simgpu_site_locate(simgpu_site(r->pc), &mine.site);
    FOR(r, MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine,
                         MPI_BYTE, t->comm));
    for (int i = 1; i < t->n; i++)
        if (all[i].nbytes != all[0].nbytes)
            simgpu_report_fault(
                "nvshmem size",
                "%s: the PEs ask for different sizes: PE 0 for %llu bytes at "
                "%s,\n  PE %d for %llu bytes at %s. All have to ask for the "
                "same.",
                r->call, (unsigned long long)all[0].nbytes,
                simgpu_site_location_text(&all[0].site, here, sizeof here), i,
                (unsigned long long)all[i].nbytes,
                simgpu_site_location_text(&all[i].site, there, sizeof there));
    free(all);
}

static void add(struct symmetric s)
{
    pthread_rwlock_wrlock(&lock);
    table = realloc(table, (nsymmetric + 1) * sizeof *table);
    if (!table)
        simgpu_report_fault(NULL, "out of host memory for the symmetric heap");
    table[nsymmetric++] = s;
    pthread_rwlock_unlock(&lock);
}

static void *allocate(const struct shmem_request *r, size_t nbytes, int zeroed)
{
    struct world *const w = world_bind(r);
    struct team *const t = &w->team[NVSHMEM_TEAM_WORLD];
    void *p = NULL;
    int device;
    check_sizes(r, t, nbytes);
    if (nbytes == 0)
        return NULL;
    MUST(r, cudaGetDevice(&device));
    if (device != w->device)
        MUST(r, cudaSetDevice(w->device));
    MUST(r, cudaMalloc(&p, nbytes));
    if (zeroed) {
        MUST(r, cudaMemsetAsync(p, 0, nbytes, w->stream));
        MUST(r, cudaStreamSynchronize(w->stream));
    }
    if (device != w->device)
        MUST(r, cudaSetDevice(device));
    add((struct symmetric){
        .base = p, .nbytes = nbytes, .part = heap_exchange(r, t, p)});
    return p;
}

void *nvshmem_malloc(size_t size)
{
    const struct shmem_request r = CALLED("nvshmem_malloc");
    return allocate(&r, size, 0);
}

void *nvshmem_calloc(size_t count, size_t size)
{
    const struct shmem_request r = CALLED("nvshmem_calloc");
    return allocate(&r, count * size, 1);
}

void *nvshmem_align(size_t alignment, size_t size)
{
    const struct shmem_request r = CALLED("nvshmem_align");
    if (alignment & (alignment - 1))
        request_fault(&r, "alignment %zu is no power of two", alignment);
    void *const p = allocate(&r, size, 0);
    if (alignment && (uintptr_t)p % alignment)
        request_fault(&r, "alignment %zu: simgpu aligns to 4096 bytes",
                      alignment);
    return p;
}

/* The allocation that contains p, preferably a live one,
 * otherwise a freed one. */
static struct symmetric *find(const void *p)
{
    struct symmetric *freed = NULL;
    for (size_t i = nsymmetric; i-- > 0;) {
        struct symmetric *const s = &table[i];
        if ((const char *)p < s->base || (const char *)p >= s->base + s->nbytes)
            continue;
        if (!s->is_freed)
            return s;
        freed = freed ? freed : s;
    }
    return freed;
}

/* ---- multicast ----------------------------------------------------------- */

static void end_multicast(struct symmetric *s)
{
    for (int i = 0; s->multicast && i < MAX_TEAMS; i++)
        simgpu_multicast_unmap(s->multicast[i]);
    free(s->multicast);
    s->multicast = NULL;
}

void heap_end_team(nvshmem_team_t team)
{
    pthread_rwlock_wrlock(&lock);
    for (size_t i = 0; i < nsymmetric; i++)
        if (table[i].multicast) {
            simgpu_multicast_unmap(table[i].multicast[team]);
            table[i].multicast[team] = NULL;
        }
    pthread_rwlock_unlock(&lock);
}

static int multicasts(const struct world *w, const struct team *t)
{
    for (int a = 0; a < t->n; a++)
        for (int b = 0; b < t->n; b++)
            if (a != b &&
                simgpu_model_reach(w->place[t->pe[a]], w->place[t->pe[b]]) !=
                    MODEL_MULTICAST)
                return 0;
    return t->n > 1 && t->n <= SIMGPU_MULTICAST_MAX;
}

/* An allocation's multicast address for a team. The first call maps it. */
static char *multicast_of(struct symmetric *s, const struct team *t, int team)
{
    char *base[SIMGPU_MULTICAST_MAX];
    if (!s->multicast)
        s->multicast = calloc(MAX_TEAMS, sizeof *s->multicast);
    if (!s->multicast)
        simgpu_report_fault(NULL, "out of host memory for multicast addresses");
    for (int i = 0; i < t->n; i++)
        base[i] = s->part[t->pe[i]];
    if (!s->multicast[team])
        s->multicast[team] = simgpu_multicast_map(base, t->n, s->nbytes);
    return s->multicast[team];
}

void *nvshmemx_mc_ptr(nvshmem_team_t team, const void *ptr)
{
    const struct shmem_request r = CALLED("nvshmemx_mc_ptr");
    const struct team *const t = team_for(&r, team);
    const struct world *const w = world();
    char *p = NULL;
    if (!w->place || !multicasts(w, t))
        return NULL;
    pthread_rwlock_wrlock(&lock);
    struct symmetric *const s = find(ptr);
    if (s && !s->is_freed && (p = multicast_of(s, t, team)) != NULL)
        p += (const char *)ptr - s->base;
    pthread_rwlock_unlock(&lock);
    return p;
}

/* ---- freeing ------------------------------------------------------------- */

void nvshmem_free(void *ptr)
{
    const struct shmem_request r = CALLED("nvshmem_free");
    struct world *const w = world_for(&r);
    struct team *const t = &w->team[NVSHMEM_TEAM_WORLD];
    if (!ptr)
        return;
    struct symmetric *const s = find(ptr);
    if (!s || s->base != ptr || s->is_freed)
        request_fault(&r, "%s is %s", simgpu_pointer_text(ptr).text,
                      s && s->is_freed ? "freed already"
                                       : "not from nvshmem_malloc()");
    struct shmem_request barrier = r;
    barrier.kind = REQUEST_BARRIER;
    request_run(&barrier);
    pthread_rwlock_wrlock(&lock);
    s->is_freed = 1;
    end_multicast(s);
    pthread_rwlock_unlock(&lock);
    heap_forget(t, s->part);
    s->part = NULL;
    MUST(&r, cudaFree(ptr));
    // no PE may allocate before all have unmapped
    FOR(&r, MPI_Barrier(t->comm));
}

void heap_end(void)
{
    const struct shmem_request r = CALLED("nvshmem_finalize");
    for (size_t i = 0; i < nsymmetric; i++)
        if (!table[i].is_freed) {
            end_multicast(&table[i]);
            heap_forget(&world()->team[NVSHMEM_TEAM_WORLD], table[i].part);
            MUST(&r, cudaFree(table[i].base));
        }
    free(table);
    table = NULL;
    nsymmetric = 0;
}

/* ---- addresses ----------------------------------------------------------- */

static void no_such_pe(const struct shmem_request *r, int pe, int n)
{
    request_fault(r, "there is no PE %d: PEs are 0 to %d", pe, n - 1);
}

static void check(const struct shmem_request *r, const struct symmetric *s,
                  const void *p, size_t nbytes, const char *what)
{
    char is[512];
    if (!s)
        request_fault(r,
                      "%s %s is not symmetric, but %s. Allocate it with "
                      "nvshmem_malloc()",
                      what, simgpu_pointer_text(p).text,
                      simgpu_heap_describe(p, is, sizeof is));
    if (s->is_freed)
        request_fault(r, "%s %s was freed by nvshmem_free(), %s", what,
                      simgpu_pointer_text(p).text,
                      simgpu_heap_describe(p, is, sizeof is));
    const size_t offset = (size_t)((const char *)p - s->base);
    if (nbytes > s->nbytes - offset)
        request_fault(r,
                      "%zu bytes at %s %s do not fit: it is at offset %zu of a "
                      "symmetric allocation of %zu bytes",
                      nbytes, what, simgpu_pointer_text(p).text, offset,
                      s->nbytes);
}

/* True if the bytes are ordinary memory of this PE's device. NVSHMEM adds to an
 * address the distance between the heaps of two PEs, which is 0 for a PE and
 * itself, so calls on the own PE work there, too. */
static int is_local(const void *p, size_t nbytes)
{
    struct heap_block b;
    return simgpu_heap_find(p, &b) == 0 && !b.imported && b.device >= 0 &&
           nbytes <= b.nbytes - (size_t)((const char *)p - b.base);
}

char *heap_of_pe(const struct shmem_request *r, const void *p, size_t nbytes,
                 int pe, const char *what)
{
    const struct team *const t = &world_for(r)->team[NVSHMEM_TEAM_WORLD];
    if (pe < 0 || pe >= t->n)
        no_such_pe(r, pe, t->n);
    pthread_rwlock_rdlock(&lock);
    struct symmetric *const s = find(p);
    const struct symmetric copy = s ? *s : (struct symmetric){0};
    pthread_rwlock_unlock(&lock);
    if ((!s || copy.is_freed) && pe == t->me && is_local(p, nbytes))
        return (char *)p;
    check(r, s ? &copy : NULL, p, nbytes, what);
    return copy.part[pe] + ((const char *)p - copy.base);
}

/* True if loads and stores of this PE reach the memory of pe. */
static int reaches(int pe)
{
    const struct world *const w = world();
    const int me = w->team[NVSHMEM_TEAM_WORLD].me;
    return pe == me ||
           simgpu_model_reach(w->place[me], w->place[pe]) != MODEL_NONE;
}

void *nvshmem_ptr(const void *ptr, int pe)
{
    const struct shmem_request r = CALLED("nvshmem_ptr");
    const struct world *const w = world_for(&r);
    const struct team *const t = &w->team[NVSHMEM_TEAM_WORLD];
    if (pe < 0 || pe >= t->n)
        no_such_pe(&r, pe, t->n);
    pthread_rwlock_rdlock(&lock);
    const struct symmetric *const s = find(ptr);
    void *const p = s && !s->is_freed && reaches(pe)
                        ? s->part[pe] + ((const char *)ptr - s->base)
                        : NULL;
    pthread_rwlock_unlock(&lock);
    return p;
}

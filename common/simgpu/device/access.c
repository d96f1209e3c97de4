#include "device/access.h"

#include <stdlib.h> /* qsort */
#include <string.h> /* memmove */

#include "core/device.h"
#include "core/fault.h"
#include "core/heap.h"
#include "core/heap_space.h" /* space_slot */
#include "core/report.h"
#include "core/site.h"
#include "device/sync.h"

enum kind {
    READ,
    WRITE,
    ATOMIC,   /* of narrower scope than the system's */
    EXCHANGE, /* likewise, ignoring the old value */
    SYSTEM,   /* an atomic at system scope: sync.c knows what it orders; */
    SIGNAL,   /* likewise a word that is set, or volatile */
    POLL,     /* likewise a read of a word that others may write */
    KINDS
};
enum { OPEN = 8, MAX_RANGES = 1 << 16, MAX_FIRST = 16, MAX_LOOKS = 4096 };

static const uint32_t how[KINDS] = {GRAPH_READ,
                                    GRAPH_WRITE,
                                    GRAPH_ATOMIC,
                                    GRAPH_ATOMIC | GRAPH_BLIND,
                                    GRAPH_ATOMIC | GRAPH_KNOWN,
                                    GRAPH_ATOMIC | GRAPH_BLIND | GRAPH_KNOWN,
                                    GRAPH_ATOMIC | GRAPH_BLIND | GRAPH_KNOWN};

/* Kinds that a spinning thread makes many of. */
static int may_spin(enum kind kind)
{
    return kind == ATOMIC || kind == SYSTEM;
}

/* The latency of a word is charged to its waiter (sync.c): no bytes are
 * moved. */
static int is_word(enum kind kind)
{
    return kind == EXCHANGE || kind == SIGNAL || kind == POLL;
}

struct range { /* bytes of one allocation, user addresses */
    const char *begin, *end;
    uint32_t block; /* index into the log's blocks */
    int rough;      /* not all of it was touched */
};

struct log { /* of the kernel that this worker runs */
    const struct launch *launch;
    uint64_t count;           /* accesses without polls */
    struct heap_block *block; /* allocations touched */
    uint32_t nblocks, cap_blocks;
    struct range open[KINDS][OPEN]; /* the latest first */
    struct range *done[KINDS];
    size_t ndone[KINDS], cap_done[KINDS];
    struct range first[MAX_FIRST]; /* read before the kernel wrote there */
    enum kind first_kind[MAX_FIRST];
    size_t nfirst;
    struct graph_access *access;
    struct graph_move *move;
};

static __thread struct log *log_of; /* made for a worker's first kernel */
static __thread int collecting;     /* device code runs on this thread */

static _Noreturn void bad_access(const char *p, size_t nbytes, enum kind kind,
                                 const void *pc)
{
    static const char *const verb[] = {
        "reads", "writes", "updates", "touches", "updates", "touches", "polls"};
    const struct launch *const l = log_of->launch;
    const struct simgpu_uint3 b = simgpu_block_idx, t = simgpu_thread_idx;
    char what[512], where[256], launch[256];
    collecting = 0;
    graph_site_text(simgpu_proc()->graph, simgpu_site(pc), where, sizeof where);
    simgpu_heap_describe(p, what, sizeof what);
    simgpu_report_fault(
        NULL,
        "kernel %s on device %d %s %zu bytes at %p, at %s:\n  %s.\n"
        "Block (%u,%u,%u), thread (%u,%u,%u). %s\nThe kernel was launched at "
        "%s.",
        l->kernel->name, l->device, verb[kind], nbytes, (const void *)p, where,
        what, b.x, b.y, b.z, t.x, t.y, t.z,
        simgpu_heap_is_freed(p) ? FAULT_FREED : FAULT_INDEX,
        simgpu_site_text(l->site, launch, sizeof launch));
}

/* A kernel reaches memory of another device only with peer access. */
static void check_device(const struct launch *l, const struct heap_block *b,
                         const void *pc)
{
    char where[256], from[256];
    if (b->device == HEAP_PINNED || b->device == l->device || b->managed ||
        b->imported || device_reaches(l->device, b->device))
        return;
    collecting = 0;
    simgpu_report_fault(
        NULL,
        "kernel %s on device %d, at %s, touches memory of device "
        "%d:\n  the %zu-byte allocation made at %s.\nCall "
        "cudaDeviceEnablePeerAccess(%d, 0) first, with device %d "
        "current.",
        l->kernel->name, l->device,
        graph_site_text(simgpu_proc()->graph, simgpu_site(pc), where,
                        sizeof where),
        b->device, b->nbytes,
        graph_site_text(simgpu_proc()->graph, b->site, from, sizeof from),
        b->device, l->device);
}

/* The index of the allocation that holds [p, p + nbytes). */
static uint32_t block_of(struct log *g, const char *p, size_t nbytes,
                         enum kind kind, const void *pc)
{
    for (uint32_t i = 0; i < g->nblocks; i++)
        if (p >= g->block[i].base &&
            p + nbytes <= g->block[i].base + g->block[i].nbytes)
            return i;
    if (g->nblocks == g->cap_blocks) {
        g->cap_blocks = g->cap_blocks ? 2 * g->cap_blocks : 16;
        g->block = realloc(g->block, g->cap_blocks * sizeof *g->block);
        if (!g->block)
            abort();
    }
    struct heap_block *const b = &g->block[g->nblocks];
    if (simgpu_heap_find(p, b) != 0)
        bad_access(p, nbytes, kind, pc);
    if (p + nbytes > b->base + b->nbytes)
        bad_access(b->base + b->nbytes, nbytes, kind, pc);
    check_device(g->launch, b, pc);
    return g->nblocks++;
}

static int by_begin(const void *a, const void *b)
{
    const struct range *const x = a, *const y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* Sort the finished ranges and join those that touch. */
static void merge(struct log *g, enum kind kind)
{
    struct range *const r = g->done[kind];
    size_t n = 0;
    qsort(r, g->ndone[kind], sizeof *r, by_begin);
    for (size_t i = 0; i < g->ndone[kind]; i++) {
        if (n && r[i].block == r[n - 1].block && r[i].begin <= r[n - 1].end) {
            if (r[i].end > r[n - 1].end)
                r[n - 1].end = r[i].end;
            r[n - 1].rough |= r[i].rough;
        } else {
            r[n++] = r[i];
        }
    }
    g->ndone[kind] = n;
}

/* Too many ranges: join neighbours in one allocation across the gap. That
 * claims bytes that were not touched, so it is the last resort. */
static void coarsen(struct log *g, enum kind kind)
{
    struct range *const r = g->done[kind];
    size_t n = 0;
    for (size_t i = 0; i < g->ndone[kind]; i++) {
        if (n && i % 2 && r[i].block == r[n - 1].block) {
            r[n - 1].end = r[i].end;
            r[n - 1].rough = 1;
        } else
            r[n++] = r[i];
    }
    g->ndone[kind] = n;
}

static void finish_range(struct log *g, enum kind kind, struct range r)
{
    if (g->ndone[kind] == MAX_RANGES) {
        merge(g, kind);
        if (g->ndone[kind] > MAX_RANGES / 2)
            coarsen(g, kind);
    }
    if (g->ndone[kind] == g->cap_done[kind]) {
        g->cap_done[kind] = g->cap_done[kind] ? 2 * g->cap_done[kind] : 64;
        g->done[kind] =
            realloc(g->done[kind], g->cap_done[kind] * sizeof *g->done[kind]);
        if (!g->done[kind])
            abort();
    }
    g->done[kind][g->ndone[kind]++] = r;
}

/* True if the kernel has written the range's first byte. */
static int has_written(const struct log *g, const char *p)
{
    const struct range *r = g->open[WRITE];
    for (int i = 0; i < OPEN && r[i].begin; i++)
        if (p >= r[i].begin && p < r[i].end)
            return 1;
    r = g->done[WRITE];
    for (size_t i = 0; i < g->ndone[WRITE]; i++)
        if (p >= r[i].begin && p < r[i].end)
            return 1;
    return 0;
}

/*
 * A range of reads begins. Bytes that a kernel both reads and writes are taken
 * for its own scratch memory, in any order; but some are certain to have been
 * read first (x[i] += 1).
 */
static void note_first(struct log *g, const struct range *r, enum kind kind)
{
    if (g->nfirst == MAX_FIRST || g->ndone[WRITE] >= MAX_LOOKS ||
        has_written(g, r->begin))
        return;
    g->first_kind[g->nfirst] = kind;
    g->first[g->nfirst++] = *r;
}

static void touch(const char *p, size_t nbytes, enum kind kind, const void *pc)
{
    if (!collecting || space_slot(p) < 0)
        return;
    struct log *const g = log_of;
    struct range *const open = g->open[kind];
    if (kind != POLL) {
        g->count += !may_spin(kind);
        if (run_poll()->p) // the thread has stopped polling
            sync_commit();
    }
    for (int i = 0; i < OPEN && open[i].begin; i++) {
        struct range *const r = &open[i];
        if (p < r->begin || p > r->end)
            continue;
        if (p + nbytes > r->end) {
            const struct heap_block *const b = &g->block[r->block];
            if (p + nbytes > b->base + b->nbytes)
                bad_access(b->base + b->nbytes, nbytes, kind, pc);
            r->end = p + nbytes;
        }
        return;
    }
    const struct range fresh = {.begin = p,
                                .end = p + nbytes,
                                .block = block_of(g, p, nbytes, kind, pc)};
    if (kind == READ || may_spin(kind))
        note_first(g, &fresh, kind);
    if (open[OPEN - 1].begin)
        finish_range(g, kind, open[OPEN - 1]);
    memmove(open + 1, open, (OPEN - 1) * sizeof *open);
    open[0] = fresh;
}

static void clear(struct log *g)
{
    g->nfirst = 0;
    memset(g->open, 0, sizeof g->open);
    memset(g->ndone, 0, sizeof g->ndone);
}

void access_begin(const struct launch *l)
{
    if (!log_of && !(log_of = calloc(1, sizeof *log_of)))
        simgpu_report_fault(NULL, "out of host memory for a kernel's accesses");
    log_of->launch = l;
    log_of->nblocks = 0;
    log_of->count = 0;
    clear(log_of);
    collecting = 1;
}

void *access_shared(void)
{
    return log_of;
}

void access_adopt(void *log)
{
    log_of = log;
    collecting = log != NULL;
}

static void report_access(struct log *g, const struct range *r, uint32_t write,
                          struct launch_cost *c)
{
    const struct heap_block *const b = &g->block[r->block];
    g->access[c->naccesses++] =
        (struct graph_access){.alloc = b->id,
                              .begin = (uint64_t)(r->begin - b->base),
                              .end = (uint64_t)(r->end - b->base),
                              .write = write};
}

/* Report all ranges of one kind, as accesses and as bytes moved. */
static void report(struct log *g, enum kind kind, struct launch_cost *c)
{
    for (int i = 0; i < OPEN && g->open[kind][i].begin; i++)
        finish_range(g, kind, g->open[kind][i]);
    merge(g, kind);
    for (size_t i = 0; i < g->ndone[kind]; i++) {
        const struct range *const r = &g->done[kind][i];
        const struct heap_block *const b = &g->block[r->block];
        report_access(g, r, how[kind] | (r->rough ? GRAPH_ROUGH : 0), c);
        if (is_word(kind))
            continue;
        const int32_t here = simgpu_proc_place(g->launch->device);
        const int32_t there = simgpu_proc_place(b->device);
        struct graph_move *m = g->move;
        while (m < g->move + c->nmoves &&
               (m->from != (kind == READ ? there : here) ||
                m->to != (kind == READ ? here : there)))
            m++;
        if (m == g->move + c->nmoves) {
            c->nmoves++;
            *m = (struct graph_move){.from = kind == READ ? there : here,
                                     .to = kind == READ ? here : there};
        }
        m->nbytes += (uint64_t)(r->end - r->begin);
    }
}

/* Convert what has been collected to the graph's form. */
static void summarise(struct log *g, struct launch_cost *c)
{
    size_t most = g->nfirst;
    for (int kind = 0; kind < KINDS; kind++)
        most += g->ndone[kind] + OPEN;
    free(g->access);
    free(g->move);
    g->access = calloc(most, sizeof *g->access);
    g->move = calloc(most, sizeof *g->move);
    if (!g->access || !g->move)
        simgpu_report_fault(NULL, "out of host memory for a kernel's accesses");
    *c = (struct launch_cost){.moves = g->move, .accesses = g->access};
    for (int kind = 0; kind < KINDS; kind++)
        report(g, kind, c);
    for (size_t i = 0; i < g->nfirst; i++)
        report_access(g, &g->first[i], how[g->first_kind[i]] | GRAPH_FIRST, c);
}

void access_end(struct launch_cost *c)
{
    collecting = 0;
    summarise(log_of, c);
}

void access_flush(struct op *op)
{
    struct launch_cost c;
    summarise(log_of, &c);
    if (c.naccesses)
        op_amend(op, c.flops, c.moves, c.nmoves, c.accesses, c.naccesses);
    clear(log_of);
}

int access_any(void)
{
    for (int kind = 0; kind < KINDS; kind++)
        if (!is_word((enum kind)kind) && log_of->open[kind][0].begin)
            return 1;
    return 0;
}

uint64_t access_count(void)
{
    return log_of->count;
}

void access_touch(const volatile void *p, size_t nbytes, enum access_use use,
                  const void *pc)
{
    static const enum kind kinds[] = {POLL, SIGNAL, SYSTEM};
    const int follows = nbytes == 4 || nbytes == 8; // words that sync.c handles
    touch((const char *)p, nbytes, follows ? kinds[use] : EXCHANGE, pc);
}

/* ---- what the compiler calls --------------------------------------------- */

void simgpu_atomic_access(const volatile void *p, unsigned nbytes)
{
    touch((const char *)p, nbytes, ATOMIC, __builtin_return_address(0));
}

void simgpu_atomic_store(const volatile void *p, unsigned nbytes)
{
    touch((const char *)p, nbytes, EXCHANGE, __builtin_return_address(0));
}

#define HOOK(name, nbytes, kind)                                               \
    void __tsan_##name(void *p);                                               \
    void __tsan_##name(void *p)                                                \
    {                                                                          \
        touch(p, nbytes, kind, __builtin_return_address(0));                   \
    }
#define HOOKS(n)                                                               \
    HOOK(read##n, n, READ)                                                     \
    HOOK(write##n, n, WRITE)                                                   \
    HOOK(unaligned_read##n, n, READ)                                           \
    HOOK(unaligned_write##n, n, WRITE)
HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)

/* Called before each volatile access. */
#define VOLATILE_HOOKS(n)                                                      \
    void __tsan_volatile_read##n(void *p);                                     \
    void __tsan_volatile_read##n(void *p)                                      \
    {                                                                          \
        sync_volatile_read(p, n, __builtin_return_address(0));                 \
    }                                                                          \
    void __tsan_volatile_write##n(void *p);                                    \
    void __tsan_volatile_write##n(void *p)                                     \
    {                                                                          \
        sync_volatile_write(p, n, __builtin_return_address(0));                \
    }
VOLATILE_HOOKS(1)
VOLATILE_HOOKS(2)
VOLATILE_HOOKS(4)
VOLATILE_HOOKS(8)
VOLATILE_HOOKS(16)

#define RANGE_HOOK(name, kind)                                                 \
    void __tsan_##name(void *p, size_t nbytes);                                \
    void __tsan_##name(void *p, size_t nbytes)                                 \
    {                                                                          \
        if (nbytes)                                                            \
            touch(p, nbytes, kind, __builtin_return_address(0));               \
    }
RANGE_HOOK(read_range, READ)
RANGE_HOOK(write_range, WRITE)

/*
 * What device code's memcpy() ... become (simnvcc): the compiler announces what
 * it copies itself, but not what it has the C library copy.
 */
void *simgpu_memcpy(void *to, const void *from, size_t nbytes);
void *simgpu_memmove(void *to, const void *from, size_t nbytes);
void *simgpu_memset(void *to, int value, size_t nbytes);
int simgpu_memcmp(const void *a, const void *b, size_t nbytes);

void *simgpu_memmove(void *to, const void *from, size_t nbytes)
{
    if (nbytes) {
        touch(from, nbytes, READ, __builtin_return_address(0));
        touch(to, nbytes, WRITE, __builtin_return_address(0));
    }
    return memmove(to, from, nbytes);
}

void *simgpu_memcpy(void *to, const void *from, size_t nbytes)
{
    if (nbytes) {
        touch(from, nbytes, READ, __builtin_return_address(0));
        touch(to, nbytes, WRITE, __builtin_return_address(0));
    }
    return memcpy(to, from, nbytes);
}

void *simgpu_memset(void *to, int value, size_t nbytes)
{
    if (nbytes)
        touch(to, nbytes, WRITE, __builtin_return_address(0));
    return memset(to, value, nbytes);
}

int simgpu_memcmp(const void *a, const void *b, size_t nbytes)
{
    if (nbytes) {
        touch(a, nbytes, READ, __builtin_return_address(0));
        touch(b, nbytes, READ, __builtin_return_address(0));
    }
    return memcmp(a, b, nbytes);
}

/* No-ops: there is no thread sanitizer. */
void __tsan_init(void);
void __tsan_func_entry(void *pc);
void __tsan_func_exit(void);
void __tsan_vptr_update(void *p, void *value);
void __tsan_vptr_read(void *p);
void __tsan_init(void) {}
void __tsan_func_entry(void *pc)
{
    (void)pc;
}
void __tsan_func_exit(void) {}
void __tsan_vptr_update(void *p, void *value)
{
    (void)p, (void)value;
}
void __tsan_vptr_read(void *p)
{
    (void)p;
}

#include "nccl/piece.h"

#include <stdlib.h> /* malloc */
#include <string.h> /* memmove */

#include "core/heap/dataless.h"
#include "core/report.h"
#include "nccl/reduce.h"

enum {
    PIECE = 256 << 10, /* bytes claimed at a time */
    /* BLOCK bytes are reduced at a time: the inputs of 4 ranks fit into the
     * first-level cache. STREAM is the size of a collective that exceeds a
     * core's share of the cache. */
    BLOCK = 4 << 10,
    STREAM = 1 << 20,
};

struct rank_buffers {
    char *send, *recv;
};

/* ---- finding buffers ----------------------------------------------------- */

static const struct hub_post *post_of(const struct work *w, int rank)
{
    return hub_post(w->hub, w->seq, rank);
}

static char *input(const struct work *w, int rank, size_t i)
{
    return w->rank[rank].send + i * w->size;
}

static char *output(const struct work *w, int rank, size_t i)
{
    return w->rank[rank].recv + i * w->size;
}

/* Find out whether memory has no contents (dataless.h), so that nothing is
 * moved. */
static void look_for_contents(struct work *w)
{
    int reads = 0, writes_contents = 0;
    for (int r = 0; r < w->hub->nranks; r++) {
        const struct hub_post *const p = post_of(w, r);
        reads |= p->send.nbytes && dataless(p->send.block);
        w->empty |= p->recv.nbytes && dataless(p->recv.block);
        writes_contents |= p->recv.nbytes && !dataless(p->recv.block);
    }
    w->empty |= reads;
    if (reads && writes_contents)
        simgpu_dataless_fault(
            "a collective", 0,
            "some ranks send from memory without contents, and some "
            "receive into memory that has them");
}

/* Call it while a claimed piece keeps the posts as they are. */
static void find_buffers(struct work *w)
{
    const int n = w->hub->nranks;
    w->rank = simgpu_need(calloc((size_t)n, sizeof *w->rank),
                          "a collective of %d ranks", n);
    for (int r = 0; r < n; r++) {
        const struct hub_post *const p = post_of(w, r);
        w->rank[r].send = p->send.nbytes ? simgpu_heap_raw_ref(&p->send) : NULL;
        w->rank[r].recv = p->recv.nbytes ? simgpu_heap_raw_ref(&p->recv) : NULL;
    }
}

/* ---- moving -------------------------------------------------------------- */

/* Read peer memory before the first write to it: a read fault maps sixteen
 * pages at a time, a write fault one. */
static void touch(const char *p, size_t nbytes)
{
    const size_t page = 4096;
    for (size_t i = 0; i < nbytes; i += page)
        (void)*(volatile const char *)(p + i);
}

static void copy(char *to, const char *from, size_t nbytes)
{
    if (to != from)
        memmove(to, from, nbytes);
}

/* Reduce elements [begin, begin + count) of all ranks' inputs, in the order of
 * ranks, into acc. */
static void reduce_block(const struct work *w, char *acc, size_t begin,
                         size_t count)
{
    char scaled[BLOCK] __attribute__((aligned(64)));
    const struct hub_post *const p = post_of(w, 0);
    const ncclDataType_t type = (ncclDataType_t)p->type;
    const int n = w->hub->nranks, avg = p->op == ncclAvg;
    const int scales = p->op == ncclNumOps || (avg && type >= ncclFloat16);
    const ncclRedOp_t op =
        avg || p->op == ncclNumOps ? ncclSum : (ncclRedOp_t)p->op;
    const char *so_far = input(w, 0, begin);
    if (scales || n == 1) {
        reduce_scale(acc, so_far, count, type, avg ? 1.0 / n : p->scale);
        so_far = acc;
    }
    for (int r = 1; r < n; r++) {
        const char *in = input(w, r, begin);
        if (scales) {
            const double s = avg ? 1.0 / n : post_of(w, r)->scale;
            reduce_scale(scaled, in, count, type, s);
            in = scaled;
        }
        reduce_combine(acc, so_far, in, count, type, op);
        so_far = acc;
    }
    if (avg && !scales)
        reduce_divide(acc, count, type, n);
}

/*
 * Reduce `count` elements from `begin` of the inputs to element `at` of the
 * outputs of ranks [first, last]. A block that is reduced in place is in the
 * cache already; one that is written elsewhere need not enter the cache.
 */
static void reduce_to(const struct work *w, size_t begin, size_t count,
                      size_t at, int first, int last)
{
    char acc[BLOCK] __attribute__((aligned(64)));
    const size_t step = BLOCK / w->size;
    const int large = w->count * w->size >= STREAM;
    for (int r = first; r <= last; r++)
        touch(output(w, r, at), count * w->size);
    for (size_t i = 0; i < count; i += step) {
        const size_t n = count - i < step ? count - i : step;
        reduce_block(w, acc, begin + i, n);
        for (int r = first; r <= last; r++) {
            char *const to = output(w, r, at + i);
            if (large && to != input(w, r, begin + i))
                reduce_store(to, acc, n * w->size);
            else
                copy(to, acc, n * w->size);
        }
    }
}

static void copy_to(const struct work *w, int to, size_t to_element, int from,
                    size_t from_element, size_t count)
{
    char *const out = output(w, to, to_element);
    touch(out, count * w->size);
    copy(out, input(w, from, from_element), count * w->size);
}

/* ---- pieces -------------------------------------------------------------- */

static size_t blocks_of(const struct work *w)
{
    const size_t n = (size_t)w->hub->nranks;
    switch (w->kind) {
    case COLL_ALLREDUCE:
    case COLL_REDUCE:
    case COLL_BROADCAST: return 1;
    case COLL_ALLTOALL: return n * n;
    default: return n;
    }
}

/* Do elements [at, at + n) of a block. */
static void do_part(const struct work *w, size_t block, size_t at, size_t n)
{
    const int root = post_of(w, 0)->root, nranks = w->hub->nranks;
    const int rank = (int)block;
    const size_t begin = block * w->count + at;
    const int to = (int)(block / (size_t)nranks);
    const int from = (int)(block % (size_t)nranks);
    switch (w->kind) {
    case COLL_ALLREDUCE: reduce_to(w, at, n, at, 0, nranks - 1); break;
    case COLL_REDUCE: reduce_to(w, at, n, at, root, root); break;
    case COLL_REDUCESCATTER: reduce_to(w, begin, n, at, rank, rank); break;
    case COLL_BROADCAST:
        for (int r = 0; r < nranks; r++)
            copy_to(w, r, at, root, at, n);
        break;
    case COLL_ALLGATHER:
        for (int r = 0; r < nranks; r++)
            copy_to(w, r, begin, rank, at, n);
        break;
    case COLL_ALLTOALL:
        copy_to(w, to, (size_t)from * w->count + at, from,
                (size_t)to * w->count + at, n);
        break;
    case COLL_GATHER: copy_to(w, root, begin, rank, at, n); break;
    case COLL_SCATTER: copy_to(w, rank, at, root, begin, n); break;
    default: break;
    }
}

int work_helpers(size_t nbytes)
{
    const size_t pieces = nbytes / PIECE;
    return pieces < 1024 ? (int)pieces : 1024;
}

void work_do(struct work *w, enum coll_kind kind, size_t count,
             ncclDataType_t type)
{
    w->kind = kind;
    w->count = count;
    w->size = reduce_type_size(type);
    const size_t step = PIECE / w->size;
    const size_t parts = (count + step - 1) / step;
    const uint32_t npieces = (uint32_t)(blocks_of(w) * parts);
    for (;;) {
        const int64_t piece = hub_claim(w->hub, w->seq, npieces);
        if (piece < 0)
            break;
        if (!w->rank) {
            find_buffers(w);
            look_for_contents(w);
        }
        const size_t at = (size_t)piece % parts * step;
        if (!w->empty)
            do_part(w, (size_t)piece / parts, at,
                    count - at < step ? count - at : step);
        hub_done(w->hub, w->seq, npieces);
    }
    free(w->rank);
}

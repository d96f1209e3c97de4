#include "extras/nvshmem/word.h"

#include "core/report.h"
#include "extras/nvshmem/move.h"
#include "extras/nvshmem/world.h"
#include "simgpu/kernel.h"
#include "simgpu/nccl_window.h" /* simgpu_memcpy */
#include "simgpu/remote.h"

/* ---- words and their fields ---------------------------------------------- */

/* A value of 2, 4 or 8 bytes inside a word of 4 or 8. */
struct field {
    char *word;
    unsigned nbytes, shift; /* the word's; the field's within it */
};

static struct field field_of(const void *p, size_t size)
{
    const uintptr_t at = (uintptr_t)p;
    if (size >= 4)
        return (struct field){(char *)at, (unsigned)size, 0};
    return (struct field){(char *)(at & ~(uintptr_t)3), 4,
                          (unsigned)(at & 3) * 8};
}

static uint64_t mask_of(size_t size)
{
    return size == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
}

static void check_aligned(const struct shmem_request *r, const void *p)
{
    if ((uintptr_t)p % r->size)
        request_fault(r, "%s is not aligned to %zu bytes",
                      simgpu_pointer_text(p).text, r->size);
}

/* ---- changes ------------------------------------------------------------- */

struct change {
    const struct shmem_request *r;
    unsigned shift;
};

static uint64_t sum(const struct shmem_request *r, uint64_t old)
{
    uint64_t value = r->value;
    reduce_into(REDUCE_SUM, r->type, &old, &value, 1);
    return old & mask_of(r->size);
}

static uint64_t changed(const struct shmem_request *r, uint64_t old)
{
    switch (r->update) {
    case UPDATE_FETCH: return old;
    case UPDATE_SET: return r->value;
    case UPDATE_ADD: return sum(r, old);
    case UPDATE_AND: return old & r->value;
    case UPDATE_OR: return old | r->value;
    case UPDATE_XOR: return old ^ r->value;
    case UPDATE_SWAP_IF: return old == r->compare ? r->value : old;
    }
    return old;
}

/* Apply an update, as a flag_change of core/stream/flag.h. */
static uint64_t change(uint64_t old, const void *operand)
{
    const struct change *const c = operand;
    const uint64_t mask = mask_of(c->r->size) << c->shift;
    const uint64_t now = changed(c->r, (old & mask) >> c->shift);
    return (old & ~mask) | (now << c->shift & mask);
}

static uint64_t update(const struct shmem_request *r, void *p, int order)
{
    const struct field f = field_of(p, r->size);
    const struct change c = {r, f.shift};
    uint64_t old;
    request_calls(r);
    old = simgpu_sync_update(f.word, f.nbytes, change, &c, order);
    request_called();
    return old >> f.shift & mask_of(r->size);
}

/* Additions commute. With more PEs than a word can remember writers, each
 * addition follows the one before instead. */
static int commuting(const struct shmem_request *r)
{
    const int few = world()->team[NVSHMEM_TEAM_WORLD].n < 60;
    return r->update == UPDATE_ADD && few ? SIMGPU_COMMUTES : 0;
}

/* Flags that tell the runtime how an update orders the kernel. */
static int order_of(const struct shmem_request *r)
{
    return (r->result ? SIMGPU_ACQUIRE : commuting(r)) |
           (r->update == UPDATE_SWAP_IF ? SIMGPU_COMPARES : 0);
}

static void do_update(const struct shmem_request *r)
{
    char *const p = heap_of_pe(r, r->dest, r->size, r->pe, "dest");
    check_aligned(r, r->dest);
    if (r->update == UPDATE_FETCH) {
        const struct field f = field_of(p, r->size);
        request_calls(r);
        const uint64_t word = simgpu_sync_load(f.word, f.nbytes, 0);
        request_called();
        const uint64_t value = word >> f.shift & mask_of(r->size);
        memcpy(r->result, &value, r->size);
        return;
    }
    const uint64_t old = update(r, p, order_of(r));
    if (r->result)
        memcpy(r->result, &old, r->size);
}

/* p: storing a word that others may wait for is a release. */
static void do_store(const struct shmem_request *r)
{
    char *const p = heap_of_pe(r, r->dest, r->size, r->pe, "dest");
    const struct field f = field_of(p, r->size);
    if (!r->is_word) {
        move_out(r, p, &r->value, r->size, 0);
        return;
    }
    check_aligned(r, r->dest);
    if (f.nbytes != r->size) {
        struct shmem_request set = *r;
        set.update = UPDATE_SET;
        update(&set, p, SIMGPU_RELEASE);
        return;
    }
    FOR(r, simgpu_sync_store(p, f.nbytes, r->value, SIMGPU_RELEASE));
}

static void do_signal(const struct shmem_request *r)
{
    char *const p = heap_of_pe(r, r->sig, sizeof *r->sig, r->pe, "sig_addr");
    struct shmem_request add = *r;
    add.size = sizeof *r->sig;
    add.type = REDUCE_U64;
    add.update = UPDATE_ADD;
    add.value = r->signal;
    check_aligned(&add, r->sig);
    if (r->sig_op == NVSHMEM_SIGNAL_ADD)
        update(&add, p, SIMGPU_RELEASE | commuting(&add));
    else if (r->sig_op == NVSHMEM_SIGNAL_SET)
        FOR(r, simgpu_sync_store(p, sizeof *r->sig, r->signal, SIMGPU_RELEASE));
    else
        request_fault(r,
                      "sig_op is %d: use NVSHMEM_SIGNAL_SET or "
                      "NVSHMEM_SIGNAL_ADD",
                      r->sig_op);
}

/* The put's bytes are written before the signal, which orders them. */
static void do_put_signal(const struct shmem_request *r)
{
    const size_t nbytes = r->nelems * r->size;
    char *const to = heap_of_pe(r, r->dest, nbytes, r->pe, "dest");
    if (nbytes)
        FOR(r, simgpu_memcpy(to, r->source, nbytes));
    do_signal(r);
}

/* ---- waiting ------------------------------------------------------------- */

#define VALUE(T) (T)(word >> (target >> 32 & 31))
/* Define conditions on a field of a word. If it is shorter than 8 bytes, the
 * upper half of the target has the field's shift. */
#define CONDITIONS(NAME, T, A, B)                                              \
    static int NAME##_eq(uint64_t word, uint64_t target)                       \
    {                                                                          \
        return (T)(A) == (T)(B);                                               \
    }                                                                          \
    static int NAME##_ne(uint64_t word, uint64_t target)                       \
    {                                                                          \
        return (T)(A) != (T)(B);                                               \
    }                                                                          \
    static int NAME##_gt(uint64_t word, uint64_t target)                       \
    {                                                                          \
        return (T)(A) > (T)(B);                                                \
    }                                                                          \
    static int NAME##_le(uint64_t word, uint64_t target)                       \
    {                                                                          \
        return (T)(A) <= (T)(B);                                               \
    }                                                                          \
    static int NAME##_lt(uint64_t word, uint64_t target)                       \
    {                                                                          \
        return (T)(A) < (T)(B);                                                \
    }                                                                          \
    static int NAME##_ge(uint64_t word, uint64_t target)                       \
    {                                                                          \
        return (T)(A) >= (T)(B);                                               \
    }
CONDITIONS(i16, int16_t, VALUE(int16_t), target)
CONDITIONS(u16, uint16_t, VALUE(uint16_t), target)
CONDITIONS(i32, int32_t, word, target)
CONDITIONS(u32, uint32_t, word, target)
CONDITIONS(i64, int64_t, word, target)
CONDITIONS(u64, uint64_t, word, target)

typedef int condition(uint64_t word, uint64_t target);

/* Conditions in the order of NVSHMEM_CMP_*. */
#define ROW(NAME)                                                              \
    {                                                                          \
        NAME##_eq, NAME##_ne, NAME##_gt, NAME##_le, NAME##_lt, NAME##_ge       \
    }
static condition *condition_of(const struct shmem_request *r)
{
    static condition *const all[][6] = {ROW(i16), ROW(u16), ROW(i32),
                                        ROW(u32), ROW(i64), ROW(u64)};
    const int row = (r->size == 2 ? 0 : r->size == 4 ? 2 : 4) + !r->is_signed;
    if (r->cmp < NVSHMEM_CMP_EQ || r->cmp > NVSHMEM_CMP_GE)
        request_fault(r, "%d is no comparison: use one of NVSHMEM_CMP_*",
                      r->cmp);
    return all[row][r->cmp];
}

struct awaited {
    struct field f;
    condition *met;
    uint64_t target;
};

static struct awaited awaited_of(const struct shmem_request *r, size_t i)
{
    char *const p = (char *)r->dest + i * r->size;
    heap_of_pe(r, p, r->size, world()->team[0].me, "the word");
    check_aligned(r, p);
    struct awaited a = {.f = field_of(p, r->size), .met = condition_of(r)};
    a.target = r->values
                   ? word_bits((const char *)r->values + i * r->size, r->size)
                   : r->value;
    if (r->size < 4)
        a.target |= (uint64_t)a.f.shift << 32;
    return a;
}

static void await(const struct shmem_request *r, size_t i)
{
    const struct awaited a = awaited_of(r, i);
    FOR(r, simgpu_sync_until(a.f.word, a.f.nbytes, a.met, a.target));
}

int word_test(const struct shmem_request *r, size_t i)
{
    const struct awaited a = awaited_of(r, i);
    uint64_t word;
    simgpu_arrive();
    request_calls(r);
    word = simgpu_sync_peek(a.f.word, a.f.nbytes, 0);
    request_called();
    if (!a.met(word, a.target))
        return 0;
    await(r, i); // for the order between kernels that it records
    return 1;
}

void word_do(const struct shmem_request *r)
{
    switch (r->kind) {
    case REQUEST_PUT_SIGNAL: do_put_signal(r); break;
    case REQUEST_SIGNAL: do_signal(r); break;
    case REQUEST_STORE: do_store(r); break;
    case REQUEST_UPDATE: do_update(r); break;
    default: // another PE may be waiting for earlier puts
        simgpu_arrive();
        for (size_t i = 0; i < r->nelems; i++)
            if (!r->status || r->status[i] == 0)
                await(r, i);
        break;
    }
}

/*
 * Which bytes of device memory were never written, against an array of bytes;
 * and who is excused from a race.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "graph/hazard/hazard_excuse.h"
#include "graph/hazard/hazard_init.h"
#include "suite.h"

enum { BYTES = 48, ALLOCS = 3, OPS = 600, HOST = 3 };

/* Of allocations 1 and 2, which are a device's; 3 is the host's. */
static char written[ALLOCS + 1][BYTES];

static uint32_t how(const struct graph_access *a)
{
    return a->write & GRAPH_TOUCH;
}

/* The first bytes of a range from `at` on that were not written. */
static int find_gap(const struct graph_access *a, uint64_t at,
                    struct graph_access *gap)
{
    while (at < a->end && written[a->alloc][at])
        at++;
    if (at >= a->end)
        return 0;
    *gap = *a;
    gap->begin = gap->end = at;
    while (gap->end < a->end && !written[a->alloc][gap->end])
        gap->end++;
    return 1;
}

/* The kernel's own write of a byte; its end, or 0. */
static uint64_t own_write(const struct graph_view *v, uint64_t alloc,
                          uint64_t at)
{
    for (size_t i = 0; i < v->naccesses; i++) {
        const struct graph_access *const a = &v->accesses[i];
        if (a->alloc == alloc && how(a) == GRAPH_WRITE && a->begin <= at &&
            at < a->end)
            return a->end;
    }
    return 0;
}

/* All of it; of what is copied to the host, one part of at least 4 bytes. */
static int is_moved(const struct graph_view *v, size_t i,
                    struct graph_access *gap)
{
    const struct graph_access *const a = &v->accesses[i];
    struct graph_access other;
    const int to_host = v->node.kind == GRAPH_COPY && v->naccesses % 2 == 0 &&
                        i % 2 == 1 && a[-1].alloc == HOST;
    if (!find_gap(a, a->begin, gap))
        return 0;
    return (gap->begin == a->begin && gap->end == a->end) ||
           (to_host && gap->end - gap->begin >= 4 &&
            !find_gap(a, gap->end, &other));
}

static int is_hazard(const struct graph_view *v, size_t i,
                     struct graph_access *gap)
{
    const struct graph_access *const a = &v->accesses[i];
    if ((how(a) != GRAPH_READ && how(a) != GRAPH_ATOMIC) || a->alloc == HOST ||
        (a->write & (GRAPH_ROUGH | GRAPH_BLIND)))
        return 0;
    if (v->node.kind != GRAPH_KERNEL)
        return is_moved(v, i, gap);
    for (uint64_t at = a->begin; find_gap(a, at, gap);) {
        at = own_write(v, a->alloc, gap->begin);
        if ((a->write & GRAPH_FIRST) || !at)
            return 1;
    }
    return 0;
}

static void write_bytes(const struct graph_view *v)
{
    const int copies = v->node.kind == GRAPH_COPY && v->naccesses % 2 == 0;
    for (size_t i = 0; i < v->naccesses; i++) {
        const struct graph_access *const a = &v->accesses[i];
        const struct graph_access *const from =
            copies && i % 2 == 0 ? &v->accesses[i + 1] : NULL;
        if (a->alloc == HOST || (copies && i % 2))
            continue;
        for (uint64_t k = a->begin; k < a->end; k++)
            if (from && from->alloc != HOST && from->alloc != a->alloc)
                written[a->alloc][k] =
                    written[from->alloc][from->begin + k - a->begin];
            else if (from || how(a) == GRAPH_WRITE || how(a) == GRAPH_ATOMIC)
                written[a->alloc][k] = 1;
        if (!from && how(a) == GRAPH_FREE)
            memset(written[a->alloc], 0, BYTES);
    }
}

static struct graph_access any_access(uint64_t nbytes)
{
    static const uint32_t flags[] = {0,           0,           0,
                                     GRAPH_FIRST, GRAPH_ROUGH, GRAPH_BLIND};
    const uint64_t begin = (uint64_t)rand() % (BYTES - nbytes + 1);
    static const uint32_t touch[] = {GRAPH_READ, GRAPH_READ, GRAPH_READ,
                                     GRAPH_WRITE, GRAPH_ATOMIC};
    return (struct graph_access){.alloc = 1 + (uint64_t)rand() % ALLOCS,
                                 .begin = begin,
                                 .end = begin + nbytes,
                                 .write =
                                     touch[rand() % 5] | flags[rand() % 6]};
}

static struct graph_view any_operation(struct graph_access access[4])
{
    static const uint8_t kinds[] = {GRAPH_KERNEL, GRAPH_KERNEL, GRAPH_COPY,
                                    GRAPH_COPY, GRAPH_COLL};
    struct graph_view v = {.node.kind = kinds[rand() % 5],
                           .naccesses = 1 + (size_t)rand() % 4,
                           .accesses = access};
    const uint64_t nbytes = 1 + (uint64_t)rand() % 12;
    for (size_t i = 0; i < v.naccesses; i++) {
        access[i] = any_access(
            v.node.kind == GRAPH_COPY ? nbytes : 1 + (uint64_t)rand() % 12);
        if (v.node.kind == GRAPH_COPY)
            access[i].write = i % 2 ? GRAPH_READ : GRAPH_WRITE;
        else if (rand() % 40 == 0 && access[i].alloc != HOST)
            access[i].write = GRAPH_FREE;
    }
    return v;
}

START_TEST(unwritten_bytes_agree_with_an_array)
{
    struct hazard_init s = {0};
    srand((unsigned)_i);
    memset(written, 0, sizeof written);
    ck_assert_int_eq(hazard_init_note(&s, 1), 0);
    ck_assert_int_eq(hazard_init_note(&s, 2), 0);
    for (int op = 0; op < OPS; op++) {
        struct graph_access access[4], gap = {0}, out = {0};
        const struct graph_view v = any_operation(access);
        int found = 0;
        for (size_t i = 0; i < v.naccesses && !found; i++)
            found = is_hazard(&v, i, &gap);
        write_bytes(&v);
        const int is = hazard_init_begin(&s, &v, &out);
        if (is == found &&
            (!is || (out.alloc == gap.alloc && out.begin == gap.begin &&
                     out.end == gap.end)))
            continue;
        ck_abort_msg(
            "seed %d, operation %d: %d, %llu-%llu, not %d, %llu-%llu", _i, op,
            is, (unsigned long long)out.begin, (unsigned long long)out.end,
            found, (unsigned long long)gap.begin, (unsigned long long)gap.end);
    }
    hazard_init_release(&s);
}
END_TEST

/* ---- excuses ------------------------------------------------------------- */

#define ATOMIC(begin, end, flags)                                              \
    {                                                                          \
        1, begin, end, GRAPH_ATOMIC | (flags), 0                               \
    }

static const struct {
    uint8_t kind[2];
    int32_t place;
    struct graph_access a, b;
    int excused;
} talks[] = {
    {{GRAPH_KERNEL, GRAPH_KERNEL}, 1, ATOMIC(0, 4, 0), ATOMIC(0, 4, 0), 1},
    {{GRAPH_KERNEL, GRAPH_COPY}, 1, ATOMIC(0, 4, 0), ATOMIC(0, 4, 0), 0},
    {{GRAPH_COPY, GRAPH_KERNEL}, 1, ATOMIC(0, 4, 0), ATOMIC(0, 4, 0), 0},
    {{GRAPH_KERNEL, GRAPH_KERNEL}, 1, ATOMIC(0, 4, 0), ATOMIC(3, 8, 0), 1},
    {{GRAPH_KERNEL, GRAPH_KERNEL}, 1, ATOMIC(0, 4, 0), ATOMIC(4, 8, 0), 0},
    {{GRAPH_KERNEL, GRAPH_KERNEL},
     1,
     ATOMIC(0, 4, GRAPH_KNOWN),
     ATOMIC(0, 4, 0),
     1},
    {{GRAPH_KERNEL, GRAPH_KERNEL},
     1,
     ATOMIC(0, 4, GRAPH_KNOWN),
     ATOMIC(0, 4, GRAPH_KNOWN),
     0},
    {{GRAPH_KERNEL, GRAPH_KERNEL},
     1,
     ATOMIC(0, 4, 0),
     {1, 0, 4, GRAPH_WRITE, 0},
     0},
    {{GRAPH_KERNEL, GRAPH_KERNEL},
     1,
     {1, 0, 4, GRAPH_READ, 0},
     ATOMIC(0, 4, 0),
     0},
    {{GRAPH_KERNEL, GRAPH_KERNEL}, 0, ATOMIC(0, 4, 0), ATOMIC(0, 4, 0), 0},
    {{GRAPH_KERNEL, GRAPH_KERNEL},
     0,
     ATOMIC(0, 4, GRAPH_FENCED),
     ATOMIC(0, 4, 0),
     0},
    {{GRAPH_KERNEL, GRAPH_KERNEL},
     0,
     ATOMIC(0, 4, 0),
     ATOMIC(0, 4, GRAPH_FENCED),
     0},
    {{GRAPH_KERNEL, GRAPH_KERNEL},
     0,
     ATOMIC(0, 4, GRAPH_FENCED),
     ATOMIC(0, 4, GRAPH_FENCED),
     1},
    {{GRAPH_KERNEL, GRAPH_KERNEL},
     0,
     ATOMIC(0, 4, GRAPH_FENCED),
     ATOMIC(4, 8, GRAPH_FENCED),
     0},
};

/* The flag is the second of each kernel's accesses. */
START_TEST(kernels_are_excused_by_a_flag_that_both_touch)
{
    for (size_t i = 0; i < sizeof talks / sizeof *talks; i++) {
        const struct graph_access a[] = {{1, 20, 30, GRAPH_WRITE, 0},
                                         talks[i].a};
        const struct graph_access b[] = {{1, 20, 30, GRAPH_WRITE, 0},
                                         talks[i].b};
        const struct graph_view v = {
            .node.kind = talks[i].kind[0], .accesses = a, .naccesses = 2};
        const struct graph_view w = {
            .node = {.kind = talks[i].kind[1], .place = talks[i].place},
            .accesses = b,
            .naccesses = 2};
        ck_assert_msg(excuse_by_words(&v, &w) == talks[i].excused, "row %zu",
                      i);
    }
}
END_TEST

/* A host function of queue 1 between operations 2 and 5 of rank 1. */
START_TEST(a_host_function_in_between_is_an_excuse)
{
    static const struct {
        uint32_t rank, a, queue, b_rank, b;
        int excused;
    } row[] = {{1, 2, 1, 1, 5, 1}, {1, 3, 1, 1, 5, 0}, {1, 2, 1, 1, 3, 0},
               {1, 2, 2, 1, 5, 0}, {1, 2, 1, 0, 1, 1}, {1, 3, 1, 0, 9, 0},
               {0, 1, 1, 1, 5, 0}, {1, 2, 1, 1, 4, 1}, {1, 4, 1, 0, 5, 0}};
    struct graph_view nodes[6] = {{.node = {.rank = 0, .index = 1}}};
    uint32_t first[] = {0, 1, 6};
    const struct graph g = {
        .nranks = 2, .nnodes = 6, .nodes = nodes, .first = first};
    for (uint32_t i = 1; i < 6; i++)
        nodes[i].node = (struct graph_node){.rank = 1, .index = i, .queue = 1};
    nodes[3].node.kind = GRAPH_HOSTFN;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const struct graph_node a = {
            .rank = row[i].rank, .index = row[i].a, .queue = row[i].queue};
        const struct graph_node b = {.rank = row[i].b_rank, .index = row[i].b};
        ck_assert_msg(excuse_by_host(&g, &a, &b) == row[i].excused, "row %zu",
                      i);
    }
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("unwritten");
    TCase *const t = tcase_create("unwritten");
    tcase_add_loop_test(t, unwritten_bytes_agree_with_an_array, 0, 30);
    tcase_add_test(t, kernels_are_excused_by_a_flag_that_both_touch);
    tcase_add_test(t, a_host_function_in_between_is_an_excuse);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}

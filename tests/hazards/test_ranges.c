/*
 * Who touched which bytes last, and what clashes with that.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "graph/hazard/hazard_ranges.h"
#include "suite.h"

static int nclashes;

static int count_clash(void *arg, const struct hazard_touch *before,
                       const struct hazard_touch *now, uint64_t begin,
                       uint64_t end)
{
    (void)arg, (void)before, (void)now;
    nclashes += (int)(end - begin);
    return 0;
}

/* ---- one touch after another --------------------------------------------- */

static int is_life(uint32_t how)
{
    return how == GRAPH_ALLOC || how == GRAPH_FREE;
}

/* What hazard.h says of two touches that nothing orders. */
static int may_race(uint32_t a, uint32_t b)
{
    if (a == GRAPH_HOLD || b == GRAPH_HOLD)
        return a == GRAPH_FREE || b == GRAPH_FREE;
    return is_life(a) || is_life(b) || a == GRAPH_WRITE || b == GRAPH_WRITE ||
           a != b;
}

static void touch(struct hazard_ranges *r, uint32_t at, uint32_t how,
                  const uint32_t known[2], uint64_t begin, uint64_t end)
{
    const struct hazard_touch now = {at, {at % 2, 1 + at / 2}, how};
    ck_assert_int_eq(
        hazard_ranges_touch(r, &now, known, begin, end, count_clash, NULL), 0);
}

/* Operation 0 touches bytes 10 to 19, then another one bytes 15 to 24. */
static int clashes_of(uint32_t a, uint32_t at, uint32_t b, uint32_t known)
{
    struct hazard_ranges r = {0};
    nclashes = 0;
    touch(&r, 0, a, (const uint32_t[2]){0, 0}, 10, 20);
    touch(&r, at, b, (const uint32_t[2]){known, 0}, 15, 25);
    hazard_ranges_release(&r);
    return nclashes;
}

START_TEST(unordered_touches_clash_where_they_overlap)
{
    for (uint32_t a = 0; a < GRAPH_TOUCHES; a++)
        for (uint32_t b = 0; b < GRAPH_TOUCHES; b++) {
            ck_assert_msg(clashes_of(a, 1, b, 0) == (may_race(a, b) ? 5 : 0),
                          "%u, then %u", a, b);
            ck_assert_int_eq(clashes_of(a, 0, b, 0), 0); // of one operation
            // What was freed before stays freed.
            ck_assert_int_eq(clashes_of(a, 1, b, 1), a == GRAPH_FREE ? 5 : 0);
        }
}
END_TEST

START_TEST(what_a_touch_supersedes_is_forgotten)
{
    enum { R = GRAPH_READ, W = GRAPH_WRITE, H = GRAPH_HOLD, F = GRAPH_FREE };
    static const struct { // operations 0, 1, 3 of chains 0, 1, 1; then 5
        uint32_t how[4], known0, known1;
        int nclashes;
    } row[] = {
        {{R, R, R, W}, 0, 0, 20}, // its own chain's later read for both
        {{R, R, R, W}, 1, 0, 10}, {{R, R, R, W}, 1, 2, 0},
        {{R, W, R, W}, 0, 0, 30}, // the read of 0 clashed before
        {{H, W, W, F}, 0, 0, 20}, // still open
        {{H, H, R, F}, 0, 0, 30}, {{H, F, R, F}, 0, 0, 40},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct hazard_ranges r = {0};
        const uint32_t known[2] = {row[i].known0, row[i].known1};
        nclashes = 0;
        touch(&r, 0, row[i].how[0], (const uint32_t[2]){0, 0}, 0, 10);
        touch(&r, 1, row[i].how[1], (const uint32_t[2]){0, 0}, 0, 10);
        touch(&r, 3, row[i].how[2], (const uint32_t[2]){0, 1}, 0, 10);
        touch(&r, 5, row[i].how[3], known, 0, 10);
        ck_assert_msg(nclashes == row[i].nclashes, "row %zu: %d", i, nclashes);
        hazard_ranges_release(&r);
    }
}
END_TEST

/* ---- many ---------------------------------------------------------------- */

/* How many pieces have this set. */
static uint32_t nrefs_of(const struct hazard_ranges *r,
                         const struct hazard_set *set)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->low.n; i++)
        n += r->low.piece[i].set == set;
    for (uint32_t i = 0; i < r->high.n; i++)
        n += r->high.piece[i].set == set;
    return n;
}

/* Pieces are in order and apart, and none could be one with that below. */
static int are_pieces(const struct hazard_ranges *r)
{
    uint64_t end = 0;
    const struct hazard_set *set = NULL;
    for (uint32_t i = 0; i < r->low.n + r->high.n; i++) {
        const struct hazard_piece *const p =
            i < r->low.n ? &r->low.piece[i]
                         : &r->high.piece[r->low.n + r->high.n - 1 - i];
        if (p->begin < end || p->end <= p->begin || p->set->n == 0 ||
            p->set->nrefs != nrefs_of(r, p->set) ||
            (i && i < r->low.n && p->set == set && p->begin == end))
            return 0;
        end = p->end;
        set = p->set;
    }
    return 1;
}

/* Random touches by operations of 4 chains, against an array of bytes. */
START_TEST(ranges_agree_with_single_bytes)
{
    enum { BYTES = 64, OPS = 400, CHAINS = 4 };
    struct hazard_ranges r = {0};
    static struct {
        uint32_t how, chain, number, at;
    } last[BYTES][OPS];
    static int n[BYTES];
    uint32_t clock[CHAINS][CHAINS] = {{0}};
    srand((unsigned)_i);
    memset(n, 0, sizeof n);
    for (uint32_t at = 0; at < OPS; at++) {
        const uint32_t chain = (uint32_t)rand() % CHAINS;
        const uint64_t begin = (uint64_t)rand() % BYTES;
        const uint64_t end = begin + 1 + (uint64_t)rand() % (BYTES - begin);
        const uint32_t how = (uint32_t)rand() % 3;
        const uint32_t other = (uint32_t)rand() % CHAINS;
        uint32_t *const known = clock[chain];
        const int learns = rand() % 3 == 0;
        for (int c = 0; c < CHAINS && learns; c++)
            if (clock[other][c] > known[c])
                known[c] = clock[other][c];
        const uint32_t number = known[chain] + 1;
        const struct hazard_touch now = {at, {chain, number}, how};
        int any = 0;
        for (uint64_t b = begin; b < end; b++) {
            int clash = 0;
            for (int i = 0; i < n[b]; i++)
                clash |= (how == GRAPH_WRITE || last[b][i].how == GRAPH_WRITE ||
                          how != last[b][i].how) &&
                         known[last[b][i].chain] < last[b][i].number;
            if (how == GRAPH_WRITE)
                n[b] = 0; // as the checker does: only the write is compared
            last[b][n[b]].how = how;
            last[b][n[b]].chain = chain;
            last[b][n[b]].number = number;
            n[b]++;
            any += clash;
        }
        nclashes = 0;
        ck_assert_int_eq(
            hazard_ranges_touch(&r, &now, known, begin, end, count_clash, NULL),
            0);
        ck_assert_msg((nclashes > 0) == (any > 0),
                      "seed %d, operation %u: %d bytes clash, not %d", _i, at,
                      nclashes, any);
        ck_assert(are_pieces(&r));
        known[chain] = number;
    }
    hazard_ranges_release(&r);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("ranges");
    TCase *const t = tcase_create("ranges");
    tcase_add_test(t, unordered_touches_clash_where_they_overlap);
    tcase_add_test(t, what_a_touch_supersedes_is_forgotten);
    tcase_add_loop_test(t, ranges_agree_with_single_bytes, 0, 20);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}

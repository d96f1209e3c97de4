/* What an operation overwrites. */
#include <check.h>

#include "graph/hazard/overwrite.h"
#include "suite.h"

enum { MOST = 6 };

static const uint64_t EMPTY = GRAPH_NO_CONTENTS | 2;

static const struct {
    const char *what;
    enum graph_kind kind;
    struct graph_access a[MOST]; /* up to the first without bytes */
    struct graph_access left[MOST];
} cases[] = {
    {"a copy between allocations",
     GRAPH_COPY,
     {{1, 0, 100, GRAPH_READ, 0}, {2, 50, 150, GRAPH_WRITE, 0}},
     {{2, 50, 150, GRAPH_WRITE, 0}}},
    {"an upload: the host's bytes have no number",
     GRAPH_COPY,
     {{0, 4096, 4196, GRAPH_READ, 0}, {2, 0, 100, GRAPH_WRITE, 0}},
     {{0}}},
    {"a download",
     GRAPH_COPY,
     {{1, 0, 100, GRAPH_READ, 0}, {0, 4096, 4196, GRAPH_WRITE, 0}},
     {{0}}},
    {"a receive, which reads nothing",
     GRAPH_RECV,
     {{2, 0, 100, GRAPH_WRITE, 0}},
     {{2, 0, 100, GRAPH_WRITE, 0}}},
    {"a flag",
     GRAPH_RECV,
     {{2, 0, OVERWRITE_LEAST - 1, GRAPH_WRITE, 0}},
     {{0}}},
    {"rows, each of which is short",
     GRAPH_COPY,
     {{2, 0, 40, GRAPH_WRITE, 0},
      {1, 0, 40, GRAPH_READ, 0},
      {2, 100, 140, GRAPH_WRITE, 0},
      {1, 40, 80, GRAPH_READ, 0}},
     {{2, 0, 40, GRAPH_WRITE, 0}, {2, 100, 140, GRAPH_WRITE, 0}}},
    {"a collective in place",
     GRAPH_COLL,
     {{2, 0, 100, GRAPH_READ, 0}, {2, 0, 100, GRAPH_WRITE, 0}},
     {{0}}},
    {"an all-gather in place, whose own block is its input",
     GRAPH_COLL,
     {{2, 100, 200, GRAPH_READ, 0}, {2, 0, 400, GRAPH_WRITE, 0}},
     {{2, 0, 100, GRAPH_WRITE, 0}, {2, 200, 400, GRAPH_WRITE, 0}}},
    {"another allocation's bytes at the same place",
     GRAPH_COLL,
     {{1, 100, 200, GRAPH_READ, 0}, {2, 0, 400, GRAPH_WRITE, 0}},
     {{2, 0, 400, GRAPH_WRITE, 0}}},
    {"rows with gaps",
     GRAPH_COPY,
     {{2, 0, 400, GRAPH_WRITE | GRAPH_ROUGH, 0}, {1, 0, 400, GRAPH_READ, 0}},
     {{0}}},
    {"memory without contents",
     GRAPH_RECV,
     {{EMPTY, 0, 400, GRAPH_WRITE, 0}},
     {{0}}},
    {"a kernel",
     GRAPH_KERNEL,
     {{1, 0, 400, GRAPH_READ, 0}, {2, 0, 400, GRAPH_WRITE, 0}},
     {{0}}},
    {"more allocations than a copy reads",
     GRAPH_COPY,
     {{1, 0, 400, GRAPH_READ, 0},
      {3, 0, 400, GRAPH_READ, 0},
      {4, 0, 400, GRAPH_READ, 0},
      {5, 0, 400, GRAPH_READ, 0},
      {6, 0, 400, GRAPH_READ, 0},
      {2, 0, 400, GRAPH_WRITE, 0}},
     {{0}}},
};

static size_t count(const struct graph_access *a)
{
    size_t n = 0;
    while (n < MOST && a[n].end > 0)
        n++;
    return n;
}

START_TEST(what_is_written_without_being_read_is_overwritten)
{
    struct graph_access out[2 * MOST];
    const struct graph_node n = {.kind = (uint8_t)cases[_i].kind};
    const size_t all = count(cases[_i].a), left = count(cases[_i].left);
    ck_assert_uint_eq(overwrite_find(&n, cases[_i].a, all, NULL), left);
    ck_assert_msg(overwrite_find(&n, cases[_i].a, all, out) == left, "%s",
                  cases[_i].what);
    for (size_t i = 0; i < left; i++) {
        ck_assert_uint_eq(out[i].alloc, cases[_i].left[i].alloc);
        ck_assert_uint_eq(out[i].begin, cases[_i].left[i].begin);
        ck_assert_uint_eq(out[i].end, cases[_i].left[i].end);
    }
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("overwrite");
    TCase *const t = tcase_create("overwrite");
    tcase_add_loop_test(t, what_is_written_without_being_read_is_overwritten, 0,
                        (int)(sizeof cases / sizeof *cases));
    suite_add_tcase(s, t);
    return suite_run(s);
}

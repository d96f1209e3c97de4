/*
 * What is said of a hazard, for each kind of it and each kind of operation.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"
#include "graph/hazard/hazard.h"
#include "suite.h"
#include "synthetic.h"

#define OP(r, q, touch, what, where)                                           \
    {                                                                          \
        .node = {r, 1}, .place = r, .queue = q, .how = GRAPH_##touch,          \
        .name = what, .site = where, .stream = "stream"                        \
    }
#define CALLED_OP(where, by)                                                   \
    {                                                                          \
        .node = {0, 1}, .queue = 1, .name = "get", .site = where, .from = by,  \
        .stream = "stream"                                                     \
    }
#define DEFAULT_OP(q, touch, what)                                             \
    {                                                                          \
        .node = {0, 1}, .queue = q, .how = GRAPH_##touch, .name = what,        \
        .site = "c.c:3", .stream = "default stream"                            \
    }
#define FREE_OP(q, touch, what)                                                \
    {                                                                          \
        .node = {0, 1}, .queue = q, .how = GRAPH_##touch, .name = what,        \
        .site = "d.c:4", .stream = "non-blocking stream"                       \
    }
#define BYTES .begin = 100, .end = 200, .alloc_nbytes = 512, .alloc_site = "m:1"

static const struct hazard hazards[] = {
    // where the bytes are
    {.kind = HAZARD_UNINITIALISED,
     .nops = 1,
     BYTES,
     .op = {OP(0, 1, READ, "sum", "a.c:1")}},
    {.kind = HAZARD_UNINITIALISED,
     .nops = 1,
     .begin = 7,
     .end = 8,
     .alloc_nbytes = 8,
     .alloc_site = "m:1",
     .alloc_place = -1,
     .op = {OP(0, 1, READ, "sum", "a.c:1")}},
    {.kind = HAZARD_RACE,
     .nops = 2,
     .begin = 0xabc0,
     .end = 0xabc1,
     .op = {OP(0, 1, READ, "sum", "a.c:1"), OP(0, 0, WRITE, "memset", "?")}},
    // races: of ranks, streams, with the host
    {.kind = HAZARD_RACE,
     .nops = 2,
     BYTES,
     .op = {OP(0, 1, WRITE, "put", "a.c:1"), OP(3, 2, ATOMIC, "get", "b.c:2")}},
    {.kind = HAZARD_RACE,
     .nops = 2,
     BYTES,
     .behind = 2,
     .op = {OP(0, 1, WRITE, "put", "a.c:1"), OP(3, 2, READ, "get", "b.c:2")}},
    {.kind = HAZARD_RACE,
     .nops = 2,
     BYTES,
     .behind = 1,
     .op = {CALLED_OP("a.c:1", "m.c:9"), OP(3, 2, WRITE, "put", "b.c:2")}},
    {.kind = HAZARD_RACE,
     .nops = 2,
     BYTES,
     .warning = 1,
     .op = {OP(0, 1, WRITE, "put", "a.c:1"), OP(0, 2, READ, "get", "b.c:2")}},
    {.kind = HAZARD_RACE,
     .nops = 2,
     BYTES,
     .op = {DEFAULT_OP(1, WRITE, "put"), OP(0, 2, READ, "get", "b.c:2")}},
    {.kind = HAZARD_RACE,
     .nops = 2,
     BYTES,
     .op = {DEFAULT_OP(1, WRITE, "put"), FREE_OP(2, READ, "get")}},
    {.kind = HAZARD_RACE,
     .nops = 2,
     BYTES,
     .op = {FREE_OP(2, WRITE, "put"), DEFAULT_OP(1, READ, "get")}},
    {.kind = HAZARD_RACE,
     .nops = 2,
     BYTES,
     .op = {DEFAULT_OP(1, WRITE, "put"), DEFAULT_OP(2, READ, "get")}},
    {.kind = HAZARD_RACE,
     .nops = 2,
     BYTES,
     .op = {FREE_OP(1, WRITE, "put"), FREE_OP(2, READ, "get")}},
    {.kind = HAZARD_RACE,
     .nops = 2,
     BYTES,
     .op = {OP(0, 1, WRITE, "put", "a.c:1"), OP(0, 0, READ, "print", "b.c:2")}},
    {.kind = HAZARD_RACE,
     .nops = 2,
     BYTES,
     .op = {DEFAULT_OP(1, WRITE, "put"), OP(0, 0, READ, "print", "b.c:2")}},
    {.kind = HAZARD_RACE,
     .nops = 2,
     BYTES,
     .op = {OP(0, 0, WRITE, "MPI_Irecv", "a.c:1"),
            OP(0, 2, READ, "get", "b.c:2")}},
    {.kind = HAZARD_RACE,
     .nops = 2,
     BYTES,
     .op = {{.node = {1, 1},
             .thread = 2,
             .how = GRAPH_WRITE,
             .name = "fill",
             .site = "a.c:1",
             .stream = "stream"},
            OP(1, 2, READ, "get", "b.c:2")}},
    {.kind = HAZARD_GROUP,
     .nops = 2,
     BYTES,
     .op = {OP(0, 1, READ, "ncclSend", "a.c:1"),
            OP(0, 1, WRITE, "ncclRecv", "b.c:2")}},
    // lifetimes
    {.kind = HAZARD_LIFE,
     .nops = 2,
     BYTES,
     .op = {OP(0, 1, READ, "get", "a.c:1"), OP(0, 0, FREE, "cudaFree", "b:2")}},
    {.kind = HAZARD_LIFE,
     .nops = 2,
     BYTES,
     .op = {OP(0, 1, READ, "get", "a.c:1"),
            OP(0, 2, FREE, "cudaFreeAsync", "b:2")}},
    {.kind = HAZARD_LIFE,
     .nops = 2,
     BYTES,
     .op = {OP(0, 0, FREE, "cudaFree", "a:1"), OP(0, 2, WRITE, "put", "b:2")}},
    {.kind = HAZARD_LIFE,
     .nops = 2,
     BYTES,
     .op = {OP(0, 1, ALLOC, "cudaMallocAsync", "a:1"),
            OP(0, 2, WRITE, "put", "b:2")}},
    {.kind = HAZARD_LIFE,
     .nops = 2,
     BYTES,
     .op = {OP(0, 1, WRITE, "put", "a:1"),
            OP(0, 2, ALLOC, "cudaMallocAsync", "b:2")}},
    {.kind = HAZARD_LIFE,
     .nops = 2,
     BYTES,
     .op = {OP(0, 0, FREE, "cudaFree", "a:1"),
            OP(2, 0, HOLD, "cudaIpcOpenMemHandle", "b:2")}},
    {.kind = HAZARD_LIFE,
     .nops = 2,
     BYTES,
     .op = {OP(0, 0, READ, "cudaIpcCloseMemHandle", "a:1"),
            OP(2, 0, FREE, "cudaFree", "b:2")}},
    // the others, and how often
    {.kind = HAZARD_OVERLAP,
     .nops = 1,
     BYTES,
     .count = 1,
     .ranks = {{1}},
     .op = {OP(1, 1, WRITE, "ncclAllGather", "a.c:1")}},
    {.kind = HAZARD_OVERLAP,
     .nops = 1,
     BYTES,
     .count = 2,
     .ranks = {{2}},
     .op = {OP(1, 1, WRITE, "ncclAllGather", "a.c:1")}},
    {.kind = HAZARD_OVERLAP,
     .nops = 1,
     BYTES,
     .count = 3,
     .ranks = {{5}},
     .op = {OP(1, 1, WRITE, "ncclAllGather", "a.c:1")}},
    {.kind = HAZARD_CROSSED,
     .warning = 1,
     .nops = 2,
     .count = 2,
     .ranks = {{1}},
     .op = {OP(0, 1, READ, "ncclAllReduce", "a.c:1"),
            OP(0, 2, READ, "ncclBroadcast", "a.c:2")},
     .other = {OP(3, 1, READ, "ncclBroadcast", "a.c:4"),
               OP(3, 2, READ, "ncclAllReduce", "a.c:5")}},
    {.kind = HAZARD_NOTED, .text = "it is late", .count = 1, .ranks = {{3}}},
    {.kind = HAZARD_NOTED, .text = "it is late", .count = 9, .ranks = {{7}}},
};

START_TEST(each_kind_of_hazard_has_its_words)
{
    char text[4096], *all;
    size_t nbytes;
    FILE *const f = open_memstream(&all, &nbytes);
    for (size_t i = 0; i < sizeof hazards / sizeof *hazards; i++) {
        fprintf(f, "%s", hazard_text(&hazards[i], text, sizeof text));
        fprintf(f, "-> %s\n\n", hazard_line(&hazards[i], text, sizeof text));
    }
    fclose(f);
    golden_expect("tests/hazards/golden.txt#words", all);
    free(all);
}
END_TEST

/* Whatever the room, it holds what fits, and nothing beyond it is written. */
START_TEST(words_end_where_the_room_does)
{
    char whole[4096], part[4096];
    for (size_t i = 0; i < sizeof hazards / sizeof *hazards; i += 5) {
        const size_t n = strlen(hazard_text(&hazards[i], whole, sizeof whole));
        for (size_t room = 1; room <= n + 2; room++) {
            memset(part, '#', sizeof part);
            hazard_text(&hazards[i], part, room);
            ck_assert_uint_eq(strlen(part), room <= n ? room - 1 : n);
            ck_assert_int_eq(strncmp(part, whole, room - 1), 0);
            ck_assert_int_eq(part[room], '#');
        }
    }
}
END_TEST

/* The same words: twice at one place, and once at another. */
START_TEST(mistakes_at_two_places_are_two)
{
    char err[256];
    struct synthetic s;
    struct hazards found;
    synthetic_init(&s, 1);
    const uint32_t here = graph_site(s.rank[0], (char *)&hazard_text + 1);
    const uint32_t there = graph_site(s.rank[0], (char *)&hazard_line + 1);
    SYNTHETIC(&s, 0, .node = {.kind = GRAPH_HOST});
    graph_note_fault(s.rank[0], 1, here, 0, "it is late");
    graph_note_fault(s.rank[0], 1, here, 0, "it is late");
    graph_note_fault(s.rank[0], 1, there, 0, "it is late");
    graph_note_fault(s.rank[0], 1, there, 1, "it is late"); // a warning
    struct graph *const g = synthetic_load(&s);
    ck_assert_int_eq(hazards_find(g, NULL, &found, err, sizeof err), 0);
    ck_assert_uint_eq(found.n, 3);
    ck_assert_uint_eq(found.nerrors, 2);
    ck_assert_uint_eq(found.hazard[0].count, 2);
    ck_assert_uint_eq(found.hazard[1].count, 1);
    hazards_release(&found);
    const uint32_t section[] = {7, 0};
    ck_assert_int_eq(hazards_find(g, section, &found, err, sizeof err), 0);
    ck_assert_uint_eq(found.hazard[0].section, 7);
    hazards_release(&found);
    graph_free(g);
    synthetic_release(&s);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("words");
    TCase *const t = tcase_create("words");
    tcase_add_test(t, each_kind_of_hazard_has_its_words);
    tcase_add_test(t, words_end_where_the_room_does);
    tcase_add_test(t, mistakes_at_two_places_are_two);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}

/*
 * The contents of a segment after recording, read through its memfd, as by a
 * peer.
 */
#define _GNU_SOURCE
#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "graph/format.h"
#include "graph/record.h"
#include "suite.h"

static struct graph_segment *g;
static const char *bytes; /* the segment, as a peer maps it */

static void setup(void)
{
    g = graph_open(3, 8, NULL);
    ck_assert_ptr_nonnull(g);
    bytes = mmap(NULL, FORMAT_CAPACITY, PROT_READ, MAP_SHARED | MAP_NORESERVE,
                 graph_fd(g), 0);
    ck_assert_ptr_ne(bytes, MAP_FAILED);
}

static void teardown(void)
{
    munmap((void *)bytes, FORMAT_CAPACITY);
    graph_close(g);
}

/* The next record of a kind after *at, which moves past it; NULL at the end. */
static const void *next(enum format_kind kind, uint64_t *at)
{
    const struct format_header *const h = (const void *)bytes;
    while (*at < atomic_load(&h->used)) {
        const struct format_record *const r = (const void *)(bytes + *at);
        *at += sizeof *r + format_padded(r->nbytes);
        if (r->kind == kind)
            return r + 1;
    }
    return NULL;
}

START_TEST(a_node_is_found_with_its_arrays)
{
    const struct graph_ref deps[] = {{1, 7}, {2, 9}};
    const struct graph_move moves[] = {{0, -1, 4096}};
    const struct graph_access accesses[] = {{5, 0, 4096, 1, 2}};
    const struct graph_node n = {.kind = GRAPH_COPY,
                                 .queue = 4,
                                 .ndeps = 2,
                                 .nmoves = 1,
                                 .naccesses = 1};
    ck_assert_uint_eq(graph_add(g, &n, deps, moves, accesses), 1);
    uint64_t at = FORMAT_DATA;
    const char *const body = next(FORMAT_NODE, &at);
    ck_assert_ptr_nonnull(body);
    const struct graph_node *const read = (const void *)body;
    ck_assert_uint_eq(read->rank, 3);
    ck_assert_uint_eq(read->index, 1);
    ck_assert_uint_eq(read->queue, 4);
    ck_assert_mem_eq(body + sizeof n, deps, sizeof deps);
    ck_assert_mem_eq(body + sizeof n + sizeof deps, moves, sizeof moves);
    ck_assert_mem_eq(body + sizeof n + sizeof deps + sizeof moves, accesses,
                     sizeof accesses);
    ck_assert_ptr_null(next(FORMAT_NODE, &at));
}
END_TEST

START_TEST(equal_strings_share_one_number)
{
    ck_assert_uint_eq(graph_string(g, ""), 0);
    const uint32_t a = graph_string(g, "ncclAllReduce");
    char copy[] = "ncclAllReduce";
    ck_assert_uint_eq(graph_string(g, copy), a);
    ck_assert_uint_ne(graph_string(g, "ncclAllGather"), a);
    char many[32];
    for (int i = 0; i < 1000; i++) {
        snprintf(many, sizeof many, "kernel%d", i);
        ck_assert_uint_eq(graph_string(g, many), 3 + i);
    }
    ck_assert_uint_eq(graph_string(g, "ncclAllReduce"), a);
}
END_TEST

/* The span of the recorded node `index`. */
static uint32_t span_of_node(uint32_t index)
{
    uint64_t at = FORMAT_DATA;
    const struct graph_node *n = NULL;
    for (uint32_t i = 0; i < index; i++)
        n = (const void *)next(FORMAT_NODE, &at);
    return n->span;
}

START_TEST(operations_belong_to_the_span_they_are_issued_in)
{
    const struct graph_node none = {.kind = GRAPH_HOST};
    struct graph_node own = none;
    const uint32_t a = graph_string(g, "a"), b = graph_string(g, "b");
    own.span = b;
    graph_add(g, &none, NULL, NULL, NULL);
    ck_assert_uint_eq(graph_span(a), 0);
    graph_add(g, &none, NULL, NULL, NULL);
    graph_add(g, &own, NULL, NULL, NULL);
    ck_assert_uint_eq(graph_span(0), a);
    graph_add(g, &none, NULL, NULL, NULL);
    ck_assert_uint_eq(span_of_node(1), 0);
    ck_assert_uint_eq(span_of_node(2), a);
    ck_assert_uint_eq(span_of_node(3), b);
    ck_assert_uint_eq(span_of_node(4), 0);
}
END_TEST

static __attribute__((noinline)) uint32_t site_of_caller(void)
{
    return graph_site(g, __builtin_return_address(0));
}

START_TEST(a_call_site_is_file_and_line)
{
    char text[128], expected[128];
    const uint32_t site = site_of_caller(), line = __LINE__;
    snprintf(expected, sizeof expected, "test_record.c:%u", line);
    ck_assert_str_eq(graph_site_text(g, site, text, sizeof text), expected);
    ck_assert_str_eq(graph_site_text(g, 0, text, sizeof text), "?");
    uint32_t again[2];
    for (volatile int i = 0; i < 2; i++) // one call, run twice
        again[i] = site_of_caller();
    ck_assert_uint_eq(again[0], again[1]);
    ck_assert_uint_ne(again[0], site);
}
END_TEST

START_TEST(a_site_without_line_names_module_and_offset)
{
    char text[128];
    const uint32_t site = graph_site(g, (void *)(uintptr_t)0x1234);
    ck_assert_str_eq(graph_site_text(g, site, text, sizeof text), "0x1233");
    graph_site_text(g, graph_site(g, (char *)&write + 1), text, sizeof text);
    ck_assert_msg(strncmp(text, "libc", 4) == 0 || strchr(text, ':'), "%s",
                  text);
}
END_TEST

enum { THREADS = 4, PER_THREAD = 20000 };

static void *add_many(void *arg)
{
    const struct graph_node n = {.kind = GRAPH_HOST,
                                 .thread = (uint32_t)(uintptr_t)arg};
    uint32_t last = 0;
    for (int i = 0; i < PER_THREAD; i++) {
        const uint32_t index = graph_add(g, &n, NULL, NULL, NULL);
        if (index <= last)
            return "a thread's nodes are out of order";
        last = index;
    }
    return NULL;
}

START_TEST(threads_record_at_once_and_nothing_is_lost)
{
    pthread_t t[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, add_many, (void *)i);
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(t[i], &wrong);
        ck_assert_msg(!wrong, "%s", (char *)wrong);
    }
    uint32_t count[THREADS] = {0}, index = 0;
    uint64_t at = FORMAT_DATA;
    for (const struct graph_node *n; (n = next(FORMAT_NODE, &at));) {
        ck_assert_uint_eq(n->index, ++index);
        count[n->thread]++;
    }
    for (int i = 0; i < THREADS; i++)
        ck_assert_uint_eq(count[i], PER_THREAD);
}
END_TEST

START_TEST(a_million_operations_take_less_than_300_megabytes)
{
    const struct graph_node n = {
        .kind = GRAPH_COPY, .ndeps = 1, .nmoves = 1, .naccesses = 2};
    const struct graph_ref dep = {3, 1};
    const struct graph_move move = {0, 1, 4};
    const struct graph_access accesses[2] = {{0}};
    for (int i = 0; i < 1000; i++)
        graph_add(g, &n, &dep, &move, accesses);
    const struct format_header *const h = (const void *)bytes;
    ck_assert_uint_lt((atomic_load(&h->used) - FORMAT_DATA) * 1000, 300000000);
}
END_TEST

START_TEST(a_directory_that_cannot_be_made_is_an_error)
{
    ck_assert_ptr_null(graph_open(0, 1, "/proc/no/such"));
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("record");
    TCase *const t = tcase_create("record");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_node_is_found_with_its_arrays);
    tcase_add_test(t, equal_strings_share_one_number);
    tcase_add_test(t, operations_belong_to_the_span_they_are_issued_in);
    tcase_add_test(t, a_call_site_is_file_and_line);
    tcase_add_test(t, a_site_without_line_names_module_and_offset);
    tcase_add_test(t, threads_record_at_once_and_nothing_is_lost);
    tcase_add_test(t, a_million_operations_take_less_than_300_megabytes);
    tcase_add_test(t, a_directory_that_cannot_be_made_is_an_error);
    tcase_set_timeout(t, 60);
    suite_add_tcase(s, t);
    return suite_run(s);
}

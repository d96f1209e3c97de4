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

#include "graph/record/format.h"
#include "graph/record/record.h"
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

int main(void);

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

START_TEST(a_note_has_what_was_noted)
{
    const struct graph_point after = {1, 2, 3};
    uint64_t at = FORMAT_DATA;
    graph_note_placed(g, 7, 2, 4096, 9, 5, 512);
    const struct format_alloc *const a = next(FORMAT_ALLOC, &at);
    ck_assert(a->alloc == 7 && a->place == 2 && a->nbytes == 4096);
    ck_assert(a->site == 9 && a->device == 5 && a->offset == 512);
    graph_note_alloc(g, 8, -1, 64, 0);
    const struct format_alloc *const b = next(FORMAT_ALLOC, &at);
    ck_assert(b->alloc == 8 && b->place == -1 && b->nbytes == 64);
    ck_assert(b->site == 0 && b->device == FORMAT_NO_DEVICE && b->offset == 0);
    graph_note_queue(g, 3, 1, "stream");
    const struct format_queue *const q = next(FORMAT_QUEUE, &at);
    ck_assert(q->queue == 3 && q->place == 1 && q->nbytes == 6);
    ck_assert_str_eq((const char *)(q + 1), "stream");
    graph_note_machine(g, "dgx-h100");
    const struct format_text *const m = next(FORMAT_MACHINE, &at);
    ck_assert(m->id == 0 && m->nbytes == 8);
    ck_assert_str_eq((const char *)(m + 1), "dgx-h100");
    graph_part(g, 4, &after, 1, 11);
    const struct format_part *const p = next(FORMAT_PART, &at);
    ck_assert(p->index == 4 && p->nafter == 1 && p->latency_ps == 11);
    ck_assert_mem_eq(p + 1, &after, sizeof after);
    graph_aside(g, 5, 6, "put", &after, 1, 12);
    const struct format_aside *const s = next(FORMAT_ASIDE, &at);
    ck_assert(s->queue == 6 && s->name == graph_string(g, "put"));
    ck_assert(s->part.index == 5 && s->part.nafter == 1 &&
              s->part.latency_ps == 12);
    ck_assert_mem_eq(s + 1, &after, sizeof after);
}
END_TEST

START_TEST(a_site_has_its_module_and_caller)
{
    const void *const stack[] = {(char *)&setup + 1, (char *)&teardown + 1};
    uint64_t at = FORMAT_DATA;
    ck_assert_uint_eq(graph_site_stack(g, stack, 2), 2);
    const struct format_text *const module = next(FORMAT_STRING, &at);
    ck_assert_ptr_nonnull(strstr((const char *)(module + 1), "test_record"));
    ck_assert_uint_eq(module->nbytes, strlen((const char *)(module + 1)));
    const struct format_site *a = next(FORMAT_SITE, &at);
    ck_assert(a->id == 1 && a->module == module->id && a->caller == 0);
    const struct format_site *const b = next(FORMAT_SITE, &at);
    ck_assert(b->id == 2 && b->module == module->id && b->caller == 1);
    ck_assert_int_eq((char *)&setup - (char *)&teardown,
                     (int64_t)(b->offset - a->offset));
    ck_assert_ptr_null(next(FORMAT_STRING, &at));
    at = FORMAT_DATA;
    graph_site(g, (void *)(uintptr_t)0x1234); // in no module
    while ((a = next(FORMAT_SITE, &at)) && a->id < 3)
        ;
    ck_assert(a && a->module == 0 && a->offset == 0x1233);
}
END_TEST

START_TEST(a_fault_is_in_the_latest_operation_unless_it_names_one)
{
    const struct graph_node n = {.kind = GRAPH_HOST};
    uint64_t at = FORMAT_DATA;
    graph_add(g, &n, NULL, NULL, NULL);
    graph_add(g, &n, NULL, NULL, NULL);
    graph_note_fault(g, 0, 3, 1, "late");
    graph_note_fault(g, 1, 0, 0, "lost");
    const struct format_fault *f = next(FORMAT_FAULT, &at);
    ck_assert(f->index == 2 && f->site == 3 && f->warning == 1);
    ck_assert_str_eq((const char *)(f + 1), "late");
    f = next(FORMAT_FAULT, &at);
    ck_assert(f->index == 1 && f->site == 0 && f->warning == 0);
    ck_assert_str_eq((const char *)(f + 1), "lost");
}
END_TEST

START_TEST(what_is_muted_is_numbered_only)
{
    const struct graph_node n = {.kind = GRAPH_HOST};
    uint64_t at = FORMAT_DATA;
    graph_amend(g, graph_add(g, &n, NULL, NULL, NULL), 5, NULL, 0, NULL, 0);
    const struct format_amend *const a = next(FORMAT_AMEND, &at);
    ck_assert(a->index == 1 && a->flops == 5 && a->nmoves == 0);
    graph_mute(g);
    ck_assert_uint_eq(graph_add(g, &n, NULL, NULL, NULL), 2);
    graph_amend(g, 2, 5, NULL, 0, NULL, 0);
    graph_part(g, 2, NULL, 0, 1);
    graph_aside(g, 2, 1, "put", NULL, 0, 1);
    ck_assert_uint_eq(graph_string(g, "text"), 0);
    ck_assert_uint_eq(graph_site(g, (char *)&setup + 1), 0);
    const struct format_header *const h = (const void *)bytes;
    ck_assert_uint_eq(at, atomic_load(&h->used)); // nothing was added
}
END_TEST

START_TEST(a_site_knows_the_calls_around_it)
{
    const void *const stack[] = {(char *)&setup + 1, (char *)&teardown + 1,
                                 (char *)&main + 1};
    const void *call[SITE_DEPTH];
    const uint32_t site = graph_site_stack(g, stack, 3);
    ck_assert_uint_eq(graph_site_stack(g, stack, 0), 0);
    ck_assert_uint_eq(graph_site(g, NULL), 0);
    ck_assert_uint_eq(graph_site_stack(g, stack, 3), site);
    ck_assert_int_eq(graph_site_calls(g, site, call), 3);
    for (int i = 0; i < 3; i++)
        ck_assert_ptr_eq(call[i], stack[i]);
    ck_assert_uint_ne(graph_site(g, stack[0]), site); // in no other call
    ck_assert_int_eq(graph_site_calls(g, 0, call), 0);
    ck_assert_int_eq(graph_site_calls(g, 5, call), 0);
    ck_assert_int_eq(graph_site_calls(g, 4, call), 1);
    const void *deep[SITE_DEPTH + 2];
    for (int i = 0; i < SITE_DEPTH + 2; i++)
        deep[i] = (char *)&setup + i + 2;
    ck_assert_int_eq(
        graph_site_calls(g, graph_site_stack(g, deep, SITE_DEPTH + 2), call),
        SITE_DEPTH);
    ck_assert_ptr_eq(call[SITE_DEPTH - 1], deep[SITE_DEPTH - 1]);
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
    tcase_add_test(t, a_note_has_what_was_noted);
    tcase_add_test(t, a_site_has_its_module_and_caller);
    tcase_add_test(t, a_fault_is_in_the_latest_operation_unless_it_names_one);
    tcase_add_test(t, what_is_muted_is_numbered_only);
    tcase_add_test(t, a_site_knows_the_calls_around_it);
    tcase_set_timeout(t, 60);
    suite_add_tcase(s, t);
    return suite_run(s);
}

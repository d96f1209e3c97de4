/*
 * test_flag.c: who wrote a word, and which write made a condition hold
 * (core/stream/flag.h)
 */
#include <check.h>
#include <pthread.h> /* pthread_create */
#include <string.h>  /* memset */

#include "core/heap/heap.h"
#include "core/stream/flag.h"
#include "ranks.h"
#include "suite.h"

/* New device memory for words, all 0. */
static void *words(void)
{
    void *p;
    MUST(simgpu_heap_alloc(0, 4096, HEAP_ORDINARY, 0, &p) == 0);
    memset(simgpu_heap_raw(p), 0, 4096);
    return p;
}

static void store(void *p, uint64_t value) /* as a host's store: not recorded */
{
    *(uint64_t *)simgpu_heap_raw(p) = value;
}

static struct flag_source by(uint32_t index)
{
    return (struct flag_source){.part = {.index = index}};
}

static int at_least(uint64_t value, uint64_t target)
{
    return value >= target;
}

static uint32_t reader_sees(const void *p, unsigned nbytes, uint64_t value)
{
    struct flag_source who;
    MUST(simgpu_flag_read(p, nbytes, &who) == value);
    return who.part.index;
}

/* Whose write it is that a wait for at least `target` is ordered after. */
static uint32_t waiter_sees(const void *p, uint64_t target)
{
    struct flag_source who;
    simgpu_flag_check(p, 4, at_least, target, &who);
    return who.part.index;
}

/* ---- the latest write ---------------------------------------------------- */

static void write_and_read(struct shared *s)
{
    (void)s;
    static uint64_t own; // outside of heaps
    char *const p = words(), *const next = p + 8;
    MUST(reader_sees(p, 4, 0) == 0);
    simgpu_flag_write(p, 4, 5, by(1));
    simgpu_flag_write(next, 8, UINT64_C(7) << 32 | 6, by(2));
    MUST(reader_sees(p, 4, 5) == 1 && reader_sees(p + 4, 4, 0) == 0);
    MUST(reader_sees(next, 8, UINT64_C(7) << 32 | 6) == 2);
    store(next, 6); // differs in the upper half only
    MUST(reader_sees(next, 8, 6) == 0);
    store(p, 4);
    MUST(reader_sees(p, 4, 4) == 0);
    store(p, 5);
    MUST(reader_sees(p, 4, 5) == 1); // as if nothing had been
    simgpu_flag_write(p, 4, 5, by(0));
    MUST(reader_sees(p, 4, 5) == 1); // an exchange that failed writes nothing
    simgpu_flag_write(p, 4, 5, by(3));
    MUST(reader_sees(p, 4, 5) == 3);
    simgpu_flag_write(p, 4, 6, by(0));
    MUST(reader_sees(p, 4, 6) == 0);
    simgpu_flag_write(&own, 8, UINT64_C(9) << 32, by(4));
    MUST(reader_sees(&own, 8, UINT64_C(9) << 32) == 0);
}

START_TEST(a_read_names_the_writer_of_the_value_that_is_there)
{
    succeeds(write_and_read);
}
END_TEST

static void announce(struct shared *s)
{
    (void)s;
    char *const p = words();
    simgpu_flag_write(p, 4, 5, by(1));
    flag_announce(p, by(2));
    MUST(reader_sees(p, 4, 5) == 2);
    store(p, 42);
    MUST(reader_sees(p, 4, 42) == 2 && waiter_sees(p, 5) == 2);
    simgpu_flag_write(p, 4, 43, by(3));
    MUST(reader_sees(p, 4, 43) == 3 && waiter_sees(p, 5) == 3);
    store(p, 44);
    MUST(reader_sees(p, 4, 44) == 0); // no longer any value
}

START_TEST(an_announced_write_may_leave_any_value)
{
    succeeds(announce);
}
END_TEST

/* ---- atomics ------------------------------------------------------------- */

static uint64_t add(uint64_t old, const void *operand)
{
    return old + *(const uint64_t *)operand;
}

static void *raced; /* add_late()'s word, which the host changes meanwhile */

static uint64_t add_late(uint64_t old, const void *operand)
{
    if (raced)
        store(raced, old + 100);
    raced = NULL;
    return add(old, operand);
}

static void update(struct shared *s)
{
    (void)s;
    static const uint64_t one = 1, large = UINT64_C(1) << 32 | 1;
    char *const p = words(), *const q = p + 8;
    struct flag_source was;
    MUST(flag_update(p, 4, add, &one, by(1), &was) == 0 && !was.part.index);
    MUST(flag_update(p, 4, add, &one, by(2), &was) == 1);
    MUST(was.part.index == 1 && reader_sees(p, 4, 2) == 2);
    MUST(reader_sees(p + 4, 4, 0) == 0);
    MUST(flag_update(q, 8, add, &large, by(3), &was) == 0);
    MUST(flag_update(q, 8, add, &large, by(4), &was) == large);
    MUST(reader_sees(q, 8, 2 * large) == 4);
    raced = p;
    MUST(flag_update(p, 4, add_late, &one, by(5), &was) == 102);
    MUST(!was.part.index && reader_sees(p, 4, 103) == 5);
    raced = q;
    MUST(flag_update(q, 8, add_late, &one, by(6), &was) == 2 * large + 100);
    MUST(!was.part.index && reader_sees(q, 8, 2 * large + 101) == 6);
}

START_TEST(an_update_returns_the_old_value_and_its_writer)
{
    succeeds(update);
}
END_TEST

static void update_after(struct shared *s)
{
    (void)s;
    static const uint64_t one = 1;
    static const struct graph_point others[] = {
        {1, 2, 4}, {2, 2, 3}, {1, 3, 3}, {0, 0, 0}};
    char *const p = words();
    const struct flag_source writer = {.part = {1, 2, 3}};
    struct flag_source was;
    uint64_t old = 0;
    simgpu_flag_write(p, 4, 5, writer);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        was = (struct flag_source){.part = others[i]};
        MUST(!flag_update_after(p, 4, add, &one, by(9), &was, &old));
        MUST(was.part.rank == 1 && was.part.index == 2 && was.part.part == 3);
        MUST(reader_sees(p, 4, 5) == 2);
    }
    was = writer;
    MUST(flag_update_after(p, 4, add, &one, by(9), &was, &old));
    MUST(old == 5 && reader_sees(p, 4, 6) == 9);
}

START_TEST(an_update_after_a_writer_fails_if_another_wrote)
{
    succeeds(update_after);
}
END_TEST

/* ---- the write that made a condition hold -------------------------------- */

/* Write the values, by the parts from 1 on; a value of 0 writes 0. */
static void *written(const uint64_t *value, uint32_t n)
{
    void *const p = words();
    for (uint32_t i = 0; i < n; i++)
        simgpu_flag_write(p, 4, value[i], by(i + 1));
    return p;
}
#define WRITTEN(...)                                                           \
    written((const uint64_t[]){__VA_ARGS__},                                   \
            sizeof(uint64_t[]){__VA_ARGS__} / sizeof(uint64_t))

static void check(struct shared *s)
{
    (void)s;
    struct flag_source who;
    char *p = WRITTEN(1, 2, 3, 4);
    for (uint32_t target = 1; target <= 4; target++)
        MUST(waiter_sees(p, target) == target);
    MUST(waiter_sees(p, 5) == 4); // it does not hold: who wrote last
    MUST(simgpu_flag_check(p, 4, at_least, 2, &who) == 4);
    MUST(simgpu_flag_check(p, 4, NULL, 2, &who) == 4 && who.part.index == 4);
    p = WRITTEN(5, 0, 6, 7);
    MUST(waiter_sees(p, 5) == 3); // not before it held for the last time
    p = WRITTEN(5, 5);
    MUST(waiter_sees(p, 5) == 1);
    p = WRITTEN(5);
    store(p, 2);
    MUST(waiter_sees(p, 1) == 0);
    simgpu_flag_write(p, 4, 6, by(2)); // what was there before, nobody knows
    MUST(waiter_sees(p, 1) == 2);
    p = WRITTEN(5);
    simgpu_flag_write(p, 4, 6, by(0));
    simgpu_flag_write(p, 4, 7, by(3));
    MUST(waiter_sees(p, 5) == 3); // nor who wrote it
}

START_TEST(a_waiter_follows_the_write_that_made_its_condition_hold)
{
    succeeds(check);
}
END_TEST

static void check_counter(struct shared *s)
{
    (void)s;
    enum { KEPT = 64 };
    char *const p = words(), *const q = p + 8;
    for (uint32_t i = 1; i <= KEPT + 10; i++) {
        simgpu_flag_write(p, 4, i, by(i));
        simgpu_flag_write(q, 4, i, by(1000 + i));
        const uint32_t oldest = i > KEPT ? i - KEPT + 1 : 1;
        MUST(waiter_sees(p, i) == i && waiter_sees(q, i) == 1000 + i);
        MUST(waiter_sees(p, 3) == (i < 3 ? i : oldest > 3 ? oldest : 3));
        MUST(waiter_sees(q, 1) == 1000 + oldest);
    }
    store(p, 0); // between two writes, with many before
    simgpu_flag_write(p, 4, 200, by(200));
    simgpu_flag_write(p, 4, 201, by(201));
    MUST(waiter_sees(p, 1) == 200);
}

START_TEST(a_counter_remembers_64_writes)
{
    succeeds(check_counter);
}
END_TEST

/* ---- writers in any order ------------------------------------------------ */

struct adder {
    uint32_t rank, index, part;
    int is_aside, commutes;
};

static void *added(const struct adder *a, int n)
{
    static const uint64_t one = 1;
    void *const p = words();
    struct flag_source was;
    for (int i = 0; i < n; i++)
        flag_update(
            p, 4, add, &one,
            (struct flag_source){.part = {a[i].rank, a[i].index, a[i].part},
                                 .is_aside = (unsigned)a[i].is_aside & 1,
                                 .commutes = (unsigned)a[i].commutes & 1},
            &was);
    return p;
}

/* These wrote what a wait for at least `target` follows; 0: any value. */
static void writers_are(const void *p, uint64_t target, const struct adder *a,
                        unsigned n)
{
    struct flag_source w[FLAG_WRITERS];
    MUST(flag_writers(p, 4, target ? at_least : NULL, target, w) == n);
    for (unsigned i = 0; i < n; i++)
        MUST(w[i].part.rank == a[i].rank && w[i].part.index == a[i].index &&
             w[i].part.part == a[i].part && w[i].is_aside == a[i].is_aside);
}

static void find_writers(struct shared *s)
{
    (void)s;
    static const struct adder in_order[] = {
        {2, 1, 0, 0, 0}, {1, 9, 1, 0, 1}, {0, 4, 2, 0, 1}, {1, 8, 0, 0, 1}};
    static const struct adder sorted[] = {
        {0, 4, 2, 0, 1}, {1, 8, 0, 0, 1}, {1, 9, 1, 0, 1}, {2, 1, 0, 0, 0}};
    static const struct adder until_3[] = {
        {0, 4, 2, 0, 1}, {1, 9, 1, 0, 1}, {2, 1, 0, 0, 0}};
    static const struct adder parts[] = {{1, 5, 2, 0, 1}, {1, 5, 4, 1, 1},
                                         {1, 5, 1, 1, 1}, {1, 5, 0, 0, 1},
                                         {1, 5, 3, 0, 1}, {1, 5, 6, 0, 1}};
    static const struct adder latest[] = {
        {1, 5, 1, 1, 1}, {1, 5, 4, 1, 1}, {1, 5, 6, 0, 1}};
    static const struct adder ordered[] = {{0, 1, 0, 0, 1}, {0, 2, 0, 0, 0}};
    static uint64_t own;
    struct flag_source w[FLAG_WRITERS];
    void *const p = added(in_order, 4);
    writers_are(p, 0, sorted, 4);
    writers_are(p, 4, sorted, 4);
    writers_are(p, 3, until_3, 3);
    writers_are(p, 1, in_order, 1);
    writers_are(added(parts, 6), 0, latest, 3);
    writers_are(added(ordered, 2), 0, ordered + 1, 1); // it follows the other
    MUST(flag_writers(&own, 4, NULL, 0, w) == 0);      // outside of heaps
}

START_TEST(writers_that_commute_are_all_named_by_rank)
{
    succeeds(find_writers);
}
END_TEST

static void find_many_writers(struct shared *s)
{
    (void)s;
    static struct adder a[FLAG_WRITERS + 2];
    for (uint32_t i = 0; i < FLAG_WRITERS + 2; i++)
        a[i] = (struct adder){i, i + 1, 0, 0, 1};
    writers_are(added(a, FLAG_WRITERS - 1), 0, a, FLAG_WRITERS - 1);
    writers_are(added(a, FLAG_WRITERS), 0, a, FLAG_WRITERS);
    writers_are(added(a, FLAG_WRITERS + 2), 0, a + 2, FLAG_WRITERS);
}

START_TEST(as_many_writers_are_named_as_are_remembered)
{
    succeeds(find_many_writers);
}
END_TEST

/* ---- waiting ------------------------------------------------------------- */

static int is_seven(void *p)
{
    struct flag_source who;
    return simgpu_flag_read(p, 4, &who) == 7;
}

static void *writes_seven(void *p)
{
    simgpu_flag_write(p, 4, 3, by(1));
    simgpu_flag_write(p, 4, 7, by(2));
    return NULL;
}

static void wait_for_seven(struct shared *s)
{
    (void)s;
    static uint32_t own;
    const struct wait_note note = {.call = "wait"};
    void *const p[] = {words(), &own};
    pthread_t writer;
    for (int i = 0; i < 2; i++) {
        MUST(pthread_create(&writer, NULL, writes_seven, p[i]) == 0);
        simgpu_flag_wait(p[i], is_seven, p[i], &note);
        flag_nap(p[i], 4, 6); // it differs
        flag_nap(p[i], 4, 7);
        MUST(pthread_join(writer, NULL) == 0);
    }
    flag_nap(NULL, 4, 0);
}

START_TEST(a_wait_ends_when_the_word_has_the_value)
{
    succeeds(wait_for_seven);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("flag");
    TCase *const t = tcase_create("flag");
    tcase_add_test(t, a_read_names_the_writer_of_the_value_that_is_there);
    tcase_add_test(t, an_announced_write_may_leave_any_value);
    tcase_add_test(t, an_update_returns_the_old_value_and_its_writer);
    tcase_add_test(t, an_update_after_a_writer_fails_if_another_wrote);
    tcase_add_test(t, a_waiter_follows_the_write_that_made_its_condition_hold);
    tcase_add_test(t, a_counter_remembers_64_writes);
    tcase_add_test(t, writers_that_commute_are_all_named_by_rank);
    tcase_add_test(t, as_many_writers_are_named_as_are_remembered);
    tcase_add_test(t, a_wait_ends_when_the_word_has_the_value);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}

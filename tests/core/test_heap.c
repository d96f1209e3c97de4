/*
 * test_heap.c: what is known of memory: allocations, freed ones, addresses that
 * are mapped and host memory that is registered (core/heap/heap.h, address.h)
 */
#include <check.h>
#include <errno.h>  /* EINVAL */
#include <stdlib.h> /* setenv */
#include <string.h> /* strcmp */

#include "blocks.h"
#include "core/heap/address.h"
#include "core/heap/heap.h"
#include "core/stream/virtual.h"
#include "ranks.h"
#include "suite.h"

enum { PAGE = 4096, G = ADDRESS_GRANULARITY };

/* ---- where allocations lie ----------------------------------------------- */

static void fit(struct shared *s)
{
    (void)s;
    void *p;
    size_t used, total;
    char *const a = alloc(0, 1, 0), *const b = alloc(0, 2 * PAGE, 0);
    char *const c = alloc(0, 1, 0);
    MUST(b == a + 2 * PAGE && c == b + 3 * PAGE);
    heap_usage(0, &used, &total);
    MUST(used == 4 * PAGE);
    MUST(simgpu_heap_free(b) == 0);
    heap_usage(0, &used, &total);
    MUST(used == 2 * PAGE);
    MUST(alloc(0, 2 * PAGE + 1, 0) == c + 2 * PAGE); // a page too large
    MUST(alloc(0, 2 * PAGE, 0) == b);
    MUST(simgpu_heap_alloc(1, total - PAGE + 1, HEAP_ORDINARY, 0, &p) ==
             ENOMEM &&
         !p);
    MUST(simgpu_heap_alloc(1, total + 1, HEAP_ORDINARY, 0, &p) == ENOMEM && !p);
    MUST(simgpu_heap_alloc(1, total / 2, HEAP_ORDINARY, 0, &p) == 0);
    MUST(simgpu_heap_alloc(1, total / 2, HEAP_ORDINARY, 0, &p) == ENOMEM && !p);
    MUST(simgpu_heap_alloc(0, 0, HEAP_ORDINARY, 0, &p) == 0 && !p);
    MUST(simgpu_heap_free(NULL) == 0);
}

START_TEST(an_allocation_takes_the_first_gap_that_is_large_enough)
{
    succeeds(fit);
}
END_TEST

static void fill(struct shared *s)
{
    (void)s;
    enum { MOST = 64 << 20 }; // that is filled
    void *zeroed;
    setenv("SIMGPU_FILL", "poison", 1);
    const unsigned char *const most = simgpu_heap_raw(alloc(0, MOST, 0));
    MUST(most[0] == 0xCB && most[MOST - 1] == 0xCB);
    const unsigned char *const more = simgpu_heap_raw(alloc(0, MOST + 1, 0));
    MUST(more[0] == 0 && more[MOST] == 0);
    MUST(simgpu_heap_alloc(0, 100, HEAP_ZEROED, 0, &zeroed) == 0);
    const unsigned char *const none = simgpu_heap_raw(zeroed);
    MUST(none[0] == 0 && none[99] == 0 && !found(zeroed).managed);
    char *const p = alloc(0, MOST + 1, 0); // and what was there before is gone
    memset(simgpu_heap_raw(p), 1, MOST + 1);
    MUST(simgpu_heap_free(p) == 0 && alloc(0, MOST + 1, 0) == p);
    const unsigned char *const again = simgpu_heap_raw(p);
    MUST(again[0] == 0 && again[MOST] == 0);
}

START_TEST(large_allocations_hold_zeros)
{
    succeeds(fill);
}
END_TEST

/* ---- what is known of them ----------------------------------------------- */

static void find(struct shared *s)
{
    (void)s;
    struct heap_block b;
    void *managed;
    char *const p = alloc(1, 5000, 42);
    for (int at = 0; at < 5000; at += 4999) {
        b = found(p + at);
        MUST(b.base == p && b.nbytes == 5000 && b.device == 1 && b.place == 1);
        MUST(b.id == 1 && b.site == 42 && !b.freed && !b.managed);
        MUST(!b.imported && !b.mapped && !b.free_pending && !b.closed);
    }
    MUST(simgpu_heap_find(p + 5000, &b) == ENOENT && !b.base);
    MUST(simgpu_heap_find(p - 1, &b) == ENOENT && !b.base);
    MUST(simgpu_heap_find(&b, &b) == ENOENT && !b.base);
    MUST(found(alloc(HEAP_PINNED, 1, 0)).device == HEAP_PINNED);
    MUST(found(alloc(0, 1, 0)).id == 3);
    MUST(simgpu_heap_alloc(0, 100, HEAP_MANAGED, 0, &managed) == 0);
    MUST(found(managed).managed);
    strcpy(managed, "from the host");
    MUST(strcmp(simgpu_heap_raw(managed), "from the host") == 0);
    heap_free_pending(p + 7);
    MUST(found(p).free_pending);
}

START_TEST(any_byte_of_an_allocation_leads_to_it)
{
    succeeds(find);
}
END_TEST

static void find_freed(struct shared *s)
{
    (void)s;
    enum { FREED = 256 }; // that are remembered
    static char *p[FREED + 1];
    struct heap_block b;
    MUST(!simgpu_heap_is_freed(alloc(0, 8, 0)));
    for (int i = 0; i <= FREED; i++)
        p[i] = alloc(0, 100, (uint32_t)i + 1);
    for (int i = 0; i <= FREED; i++) {
        heap_note_free(p[i] + 50, (uint32_t)i + 1001);
        MUST(simgpu_heap_free(p[i]) == 0 && simgpu_heap_free(p[i]) == EINVAL);
    }
    MUST(!simgpu_heap_is_freed(p[0]) && simgpu_heap_is_freed(p[1]));
    for (uint32_t i = 1; i <= FREED; i++) {
        MUST(simgpu_heap_find(p[i] + 99, &b) == ENOENT && b.base == p[i]);
        MUST(b.nbytes == 100 && b.site == i + 1 && b.freed == i + 1001);
    }
    MUST(simgpu_heap_find(p[1] + 100, &b) == ENOENT && !b.base);
}

START_TEST(the_latest_freed_allocations_are_remembered)
{
    succeeds(find_freed);
}
END_TEST

static void count(void *arg, const struct heap_block *b)
{
    *(size_t *)arg += b->nbytes;
}

static void reset(struct shared *s)
{
    (void)s;
    size_t n = 0, used, total;
    char *const a = alloc(0, 1, 0), *const b = alloc(0, 10, 0);
    char *const c = alloc(1, 100, 0);
    alloc(HEAP_PINNED, 1000, 0);
    heap_each(count, &n);
    MUST(n == 1111);
    heap_reset(0);
    MUST(simgpu_heap_is_freed(a) && simgpu_heap_is_freed(b));
    MUST(!simgpu_heap_is_freed(c));
    heap_usage(0, &used, &total);
    n = 0;
    heap_each(count, &n);
    MUST(n == 1100 && used == 0);
}

START_TEST(a_reset_frees_what_one_device_has)
{
    succeeds(reset);
}
END_TEST

static void describe_all(struct shared *s)
{
    (void)s;
    char out[512];
    char *const p = alloc(0, 100, 0), *const q = alloc(HEAP_PINNED, 8, 0);
    static const char past[] =
        "17 bytes past the end of the 100-byte allocation made at ? on device "
        "0";
    MUST(strcmp(simgpu_heap_describe(p + 117, out, sizeof out), past) == 0);
    simgpu_heap_describe(p + 9, out, sizeof out);
    MUST(strcmp(out, "byte 9 of the 100-byte allocation made at ? on device "
                     "0") == 0);
    MUST(simgpu_heap_free(p) == 0);
    simgpu_heap_describe(p, out, sizeof out);
    MUST(strcmp(out, "byte 0 of the freed 100-byte allocation made at ? on "
                     "device 0") == 0);
    simgpu_heap_describe(p + 200, out, sizeof out);
    MUST(strcmp(out, "device memory that was never allocated") == 0);
    MUST(strstr(simgpu_heap_describe(q + 7, out, sizeof out),
                "byte 7 of the 8-byte allocation made at ?"));
    simgpu_heap_describe(out, out, sizeof out);
    MUST(strcmp(out, "host memory") == 0);
}

START_TEST(a_message_says_where_a_byte_lies)
{
    succeeds(describe_all);
}
END_TEST

/* ---- memory of one NUMA node --------------------------------------------- */

static void numa(struct shared *s)
{
    (void)s;
    enum { PLACE = -7 };
    void *p;
    MUST(heap_alloc_numa(PLACE, 64, 5, &p) == 0);
    MUST(found(p).place == PLACE && found(p).closed == UINT64_MAX);
    MUST(found(p).device == HEAP_PINNED && found(p).site == 5);
    heap_open((char *)p + 63, 5);
    MUST(found(p).closed == ~UINT64_C(5));
}

START_TEST(memory_of_a_numa_node_is_closed_until_it_is_opened)
{
    succeeds(numa);
}
END_TEST

/* ---- registered host memory ---------------------------------------------- */

static void registers(struct shared *s)
{
    (void)s;
    static char host[100];
    char *const p = alloc(0, 8, 0);
    MUST(!simgpu_heap_registered(host) && heap_unregister(host) == ENOENT);
    MUST(heap_register(host + 10, 50) == 0);
    MUST(!simgpu_heap_registered(host + 9));
    MUST(simgpu_heap_registered(host + 10) &&
         simgpu_heap_registered(host + 59));
    MUST(!simgpu_heap_registered(host + 60));
    MUST(heap_register(host + 59, 1) == EEXIST &&
         heap_register(p, 1) == EEXIST);
    MUST(heap_register(host + 60, 1) == 0);
    MUST(heap_unregister(host + 11) == EINVAL &&
         heap_unregister(host) == ENOENT);
    MUST(heap_unregister(host + 10) == 0 && !simgpu_heap_registered(host + 10));
    MUST(simgpu_heap_registered(host + 60));
}

START_TEST(host_memory_is_registered_by_ranges)
{
    succeeds(registers);
}
END_TEST

/* ---- addresses that memory is mapped to ---------------------------------- */

static char *reserve(uint64_t nbytes)
{
    void *p;
    MUST(simgpu_address_reserve(nbytes, 0, &p) == 0);
    return p;
}

static void reservations(struct shared *s)
{
    (void)s;
    void *out = NULL;
    MUST(simgpu_address_free(&out, G) == EINVAL); // nothing was reserved yet
    char *const m = alloc(0, G, 0), *const p = reserve(4 * G);
    char *const q = reserve(G);
    MUST(q == p + 5 * G && (uintptr_t)p % G == 0);
    MUST(simgpu_address_free(p, 3 * G) == EINVAL);
    MUST(simgpu_address_free(p + G, 3 * G) == EINVAL);
    MUST(simgpu_virtual_map(p + 3 * G, G, m) == 0);
    MUST(simgpu_address_free(p, 4 * G) == EINVAL); // something is mapped
    MUST(simgpu_address_free(q, G) == 0 && simgpu_address_free(q, G) == EINVAL);
    MUST(simgpu_virtual_unmap(p + 3 * G, G, "unmap", 0) == 0);
    MUST(simgpu_address_free(p, 4 * G) == 0 && reserve(4 * G) == p);
    MUST(simgpu_address_reserve(G, 64 * G, &out) == 0 &&
         (uintptr_t)out % (64 * G) == 0 && (char *)out > p + 4 * G);
    MUST(simgpu_address_free(out, G) == 0);
    MUST(simgpu_address_reserve(UINT64_C(1) << 60, 0, &out) == ENOMEM);
}

START_TEST(a_reservation_is_given_back_whole_and_empty)
{
    succeeds(reservations);
}
END_TEST

static void map(struct shared *s)
{
    (void)s;
    static char host[8];
    char *const m = alloc(0, 2 * G, 0), *const n = alloc(1, G, 0);
    char *const p = reserve(4 * G);
    MUST(simgpu_virtual_map(p, G, host) == EINVAL);
    MUST(simgpu_virtual_map(m, G, n) == EINVAL); // no reservation
    MUST(simgpu_virtual_map(p, 3 * G, m) == EINVAL);
    MUST(simgpu_virtual_map(p + 3 * G, 2 * G, m) == EINVAL);
    MUST(simgpu_virtual_map(p, 2 * G, m) == 0);
    MUST(simgpu_virtual_map(p + G, G, n) == EINVAL); // taken
    MUST(simgpu_virtual_map(p + 2 * G, G, n) == 0);
    MUST(simgpu_address_memory(p) == m);
    MUST(simgpu_address_memory(p + 2 * G - 1) == m + 2 * G - 1);
    MUST(simgpu_address_memory(p + 2 * G + 5) == n + 5);
    MUST(!simgpu_address_memory(p + 3 * G) && !simgpu_address_memory(host));
    MUST(!simgpu_address_memory(m));
    strcpy(simgpu_heap_raw(p + 2 * G + 5), "through the window");
    MUST(strcmp(simgpu_heap_raw(n + 5), "through the window") == 0);
    MUST(heap_shadow(p + 2 * G) == heap_shadow(n));
    MUST(heap_common(p + 2 * G) == heap_common(n));
    MUST(simgpu_heap_free(p) == EINVAL);
    const struct heap_block b = found(p + 3 * G - 1);
    MUST(b.base == p && b.nbytes == 3 * G && b.mapped && b.device == 0);
    MUST(b.id == found(m).id && b.closed == UINT64_MAX);
}

START_TEST(pieces_next_to_each_other_are_one_block)
{
    succeeds(map);
}
END_TEST

static void open_pieces(struct shared *s)
{
    (void)s;
    struct heap_block b;
    char *const m = alloc(0, 2 * G, 7), *const n = alloc(1, G, 0);
    char *const p = reserve(4 * G);
    MUST(simgpu_virtual_map(p, 2 * G, m) == 0);
    MUST(simgpu_virtual_map(p + 2 * G, G, n) == 0);
    MUST(simgpu_address_open(p, G, 0, 1) == EINVAL); // half of a piece
    MUST(simgpu_address_open(p + G, 2 * G, 0, 1) == EINVAL);
    MUST(simgpu_address_open(p, 4 * G, 0, 1) == EINVAL); // none at the end
    MUST(simgpu_address_open(p + 3 * G, G, 0, 1) == EINVAL);
    MUST(simgpu_address_open(p, 2 * G, 0, 1) == 0);
    MUST(found(p).closed == UINT64_MAX); // the other piece is
    MUST(simgpu_address_open(p, 3 * G, 0, 1) == 0);
    MUST(simgpu_address_open(p, 3 * G, 2, 1) == 0);
    MUST(found(p).closed == ~UINT64_C(5));
    MUST(simgpu_address_open(p + 2 * G, G, 0, 0) == 0);
    MUST(found(p).closed == ~UINT64_C(4));
    MUST(simgpu_virtual_unmap(p, G, "unmap", 9) == EINVAL);
    MUST(simgpu_virtual_unmap(p, 4 * G, "unmap", 9) == EINVAL);
    MUST(simgpu_virtual_unmap(p, 2 * G, "unmap", 9) == 0);
    MUST(simgpu_heap_find(p, &b) == ENOENT && b.base == p && b.nbytes == 2 * G);
    MUST(b.site == 7 && b.freed == 9 && !simgpu_address_memory(p));
    b = found(p + 2 * G);
    MUST(b.base == p + 2 * G && b.nbytes == G && b.device == 1);
    MUST(simgpu_virtual_unmap(p, 2 * G, "unmap", 9) == EINVAL);
    MUST(simgpu_virtual_map(p, 2 * G, m) == 0 && found(p).nbytes == 3 * G);
    MUST(simgpu_virtual_unmap(p, 3 * G, "unmap", 9) == 0);
    MUST(simgpu_address_free(p, 4 * G) == 0);
}

START_TEST(whole_pieces_are_opened_and_unmapped)
{
    succeeds(open_pieces);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("heap");
    TCase *const t = tcase_create("heap");
    tcase_add_test(t, an_allocation_takes_the_first_gap_that_is_large_enough);
    tcase_add_test(t, large_allocations_hold_zeros);
    tcase_add_test(t, any_byte_of_an_allocation_leads_to_it);
    tcase_add_test(t, the_latest_freed_allocations_are_remembered);
    tcase_add_test(t, a_reset_frees_what_one_device_has);
    tcase_add_test(t, a_message_says_where_a_byte_lies);
    tcase_add_test(t, memory_of_a_numa_node_is_closed_until_it_is_opened);
    tcase_add_test(t, host_memory_is_registered_by_ranges);
    tcase_add_test(t, a_reservation_is_given_back_whole_and_empty);
    tcase_add_test(t, pieces_next_to_each_other_are_one_block);
    tcase_add_test(t, whole_pieces_are_opened_and_unmapped);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}

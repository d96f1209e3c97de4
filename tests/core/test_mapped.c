/*
 * test_mapped.c: how the memory of this process and of its peers is mapped
 */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>       /* ENOMEM */
#include <fcntl.h>       /* fcntl */
#include <string.h>      /* strstr */
#include <sys/mman.h>    /* MAP_FAILED */
#include <sys/syscall.h> /* SYS_mmap */
#include <unistd.h>      /* syscall */

#include "blocks.h"
#include "core/heap/heap.h"
#include "golden.h"
#include "ranks.h"
#include "suite.h"

static const char golden[] = "tests/core/golden.txt#mapped";

/* ---- mappings ------------------------------------------------------------ */

static int nmaps = -1;  /* until one fails; -1: none does */
static int are_printed; /* each mapping */

static void print_map(size_t nbytes, int prot, int flags, off_t offset)
{
    fprintf(stderr, "  %zu bytes from %lld on, %s, %s, %s, %s\n", nbytes,
            (long long)offset, prot == PROT_NONE ? "closed" : "open",
            flags & MAP_SHARED ? "shared" : "private",
            flags & (MAP_FIXED | MAP_FIXED_NOREPLACE) ? "there" : "anywhere",
            flags & MAP_NORESERVE ? "not reserved" : "reserved");
}

void *mmap(void *at, size_t nbytes, int prot, int flags, int fd, off_t offset)
{
    if (nmaps == 0) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    nmaps -= nmaps > 0;
    if (are_printed)
        print_map(nbytes, prot, flags, offset);
    // NOLINTNEXTLINE: the kernel's answer is an address
    return (void *)syscall(SYS_mmap, at, nbytes, prot, flags, fd, offset);
}

/* What a heap is mapped by: the raw view, in two steps, the program's and the
 * shadow. The rest is kept for later. */
static void map_heap(struct shared *s)
{
    simgpu_proc();
    nmaps = (int)s->ping;
    char *const p = alloc(1, 100, 0);
    MUST(heap_shadow(p) && simgpu_heap_raw(p));
    fprintf(stderr, "%d are left", nmaps);
}

START_TEST(a_heap_that_cannot_be_mapped_is_a_fault)
{
    char text[4096];
    int n = 0, status;
    struct shared *const s = shared_new();
    do {
        s->ping = (uint32_t)n++;
        const struct rank r = rank_start(0, 1, map_heap, s);
        status = rank_end(r, text, sizeof text);
        ck_assert_msg(status == 0 || (status == PROC_EXIT_FAULT &&
                                      strstr(text, "rank 0: cannot map ") &&
                                      strstr(text, "Cannot allocate memory")),
                      "%d: %s", n, text);
    } while (status != 0);
    ck_assert_str_eq(text, "0 are left");
    ck_assert_int_ge(n, 4);
}
END_TEST

static void give(struct shared *s)
{
    MUST(simgpu_heap_export(alloc(1, 100, 7), &s->ref) == 0);
    meet(s);
    set(&s->pong);
    spin(&s->stopped);
}

static void take(struct shared *s)
{
    void *p;
    meet(s);
    spin(&s->pong);
    nmaps = (int)s->ping;
    MUST(simgpu_heap_import(&s->ref, &p) == 0);
    MUST(simgpu_heap_raw_ref(&s->ref));
    set(&s->stopped);
    fprintf(stderr, "%d are left", nmaps);
}

START_TEST(a_peers_heap_that_cannot_be_mapped_is_a_fault)
{
    char text[2][4096];
    int n = 0, status;
    do {
        struct shared *const s = shared_new();
        s->ping = (uint32_t)n++;
        const struct rank r0 = rank_start(0, 2, take, s);
        const struct rank r1 = rank_start(1, 2, give, s);
        status = rank_end(r0, text[0], sizeof text[0]);
        set(&s->stopped);
        rank_end(r1, text[1], sizeof text[1]);
        ck_assert_msg(status == 0 || (status == PROC_EXIT_FAULT &&
                                      strstr(text[0], ": cannot map ") &&
                                      strstr(text[0], "Cannot allocate")),
                      "%d: %s", n, text[0]);
    } while (status != 0);
    ck_assert_str_eq(text[0], "0 are left");
    ck_assert_int_ge(n, 4);
}
END_TEST

/* Twice as much is mapped each time, and chunks of the shadow. */
static void map_more(struct shared *s)
{
    static const size_t sizes[] = {64 << 20, 1, 40 << 20, 200 << 20};
    (void)s;
    simgpu_proc();
    are_printed = 1;
    for (int device = HEAP_PINNED; device < 2; device += 2)
        for (int i = 0; i < 4; i++) {
            fprintf(stderr, "device %d, %zu bytes\n", device, sizes[i]);
            char *const p = alloc(device, sizes[i], 0);
            MUST(simgpu_heap_raw(p));
            for (size_t at = 0; at < sizes[i]; at += 15 << 20) {
                fprintf(stderr, " byte %zu\n", at);
                MUST(heap_shadow(p + at));
            }
        }
    fprintf(stderr, "device 0, all\n");
    size_t all = (size_t)96 << 30; // a GPU of the model has 80 GiB
    void *p;
    while (simgpu_heap_alloc(0, all, HEAP_ORDINARY, 0, &p) != 0)
        all -= 1 << 20;
    fprintf(stderr, " last byte\n");
    MUST(heap_shadow((char *)p + all - 1));
}

START_TEST(heaps_are_mapped_as_far_as_they_are_used)
{
    char text[16384];
    const struct rank r = rank_start(0, 1, map_more, shared_new());
    ck_assert_int_eq(rank_end(r, text, sizeof text), 0);
    golden_expect(golden, text);
}
END_TEST

/* ---- imports ------------------------------------------------------------- */

static int nfiles(void)
{
    int n = 0;
    for (int fd = 0; fd < 1024; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static void take_all(struct shared *s)
{
    void *p;
    meet(s);
    spin(&s->pong);
    const int before = nfiles();
    MUST(simgpu_heap_import(&s->ref, &p) == 0);
    MUST(simgpu_heap_raw_ref(&s->ref) && heap_shadow(p));
    const int after = nfiles();
    set(&s->stopped);
    MUST(after == before);
}

START_TEST(a_peers_heap_keeps_no_file_open)
{
    char text[2][4096];
    struct shared *const s = shared_new();
    const struct rank r0 = rank_start(0, 2, take_all, s);
    const struct rank r1 = rank_start(1, 2, give, s);
    const int status = rank_end(r0, text[0], sizeof text[0]);
    ck_assert_int_eq(rank_end(r1, text[1], sizeof text[1]), 0);
    ck_assert_msg(status == 0, "%d: %s", status, text[0]);
}
END_TEST

/* Imported twice, opened as for a kernel, and released as often. */
static void release(struct shared *s)
{
    void *p, *again;
    int fd[2];
    (void)s;
    MUST(pipe(fd) == 0);
    MUST(simgpu_heap_export(alloc(1, 5000, 42), &s->ref) == 0);
    MUST(simgpu_heap_import(&s->ref, &p) == 0);
    MUST(simgpu_heap_import(&s->ref, &again) == 0 && again == p);
    const struct heap_block b = found(p);
    MUST(b.imported && b.device == 1 && b.nbytes == 5000 && b.site == 42);
    heap_protect(&b, PROT_READ | PROT_WRITE, -1);
    MUST(write(fd[1], (char *)p + 4999, 1) == 1);
    MUST(simgpu_heap_unimport(p) == 0 && found(p).base == p);
    MUST(write(fd[1], p, 1) == 1);
    MUST(simgpu_heap_unimport(p) == 0);
    MUST(write(fd[1], p, 1) == -1 && errno == EFAULT);
    MUST(write(fd[1], (char *)p + 4999, 1) == -1 && errno == EFAULT);
    MUST(simgpu_heap_unimport(p) == EINVAL && simgpu_heap_is_freed(p));
}

START_TEST(what_is_no_longer_imported_is_closed)
{
    succeeds(release);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("mapped");
    TCase *const t = tcase_create("mapped");
    tcase_add_test(t, a_heap_that_cannot_be_mapped_is_a_fault);
    tcase_add_test(t, a_peers_heap_that_cannot_be_mapped_is_a_fault);
    tcase_add_test(t, heaps_are_mapped_as_far_as_they_are_used);
    tcase_add_test(t, a_peers_heap_keeps_no_file_open);
    tcase_add_test(t, what_is_no_longer_imported_is_closed);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}

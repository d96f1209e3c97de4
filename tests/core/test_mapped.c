/*
 * test_mapped.c: how the memory of this process and of its peers is mapped
 */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>       /* ENOMEM */
#include <string.h>      /* strstr */
#include <sys/mman.h>    /* MAP_FAILED */
#include <sys/syscall.h> /* SYS_mmap */
#include <unistd.h>      /* syscall */

#include "core/heap.h"
#include "ranks.h"
#include "suite.h"

static char *alloc(int device, size_t nbytes, uint32_t site)
{
    void *p;
    MUST(simgpu_heap_alloc(device, nbytes, 0, site, &p) == 0);
    return p;
}

static struct heap_block found(const void *p)
{
    struct heap_block b;
    MUST(simgpu_heap_find(p, &b) == 0);
    return b;
}

/* ---- mappings that fail -------------------------------------------------- */

static int nmaps = -1; /* until one fails; -1: none does */

void *mmap(void *at, size_t nbytes, int prot, int flags, int fd, off_t offset)
{
    if (nmaps == 0) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    nmaps -= nmaps > 0;
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

/* ---- imports ------------------------------------------------------------- */

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
    tcase_add_test(t, what_is_no_longer_imported_is_closed);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}

/* Which limit of the system made a call fail (core/limit.h). Each test sets the
 * limits of its own process. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/limit.h"
#include "suite.h"

static char hint[LIMIT_HINT];

/* What is said of err is a sentence of its own, fits, and has these words. */
static void says(int err, const char *words, const char *end)
{
    errno = 0;
    memset(hint, '?', sizeof hint);
    ck_assert_ptr_eq(simgpu_limit_hint(err, hint, sizeof hint), hint);
    ck_assert_int_eq(errno, err);
    ck_assert_msg(strncmp(hint, ".\n", 2) == 0 && strstr(hint, words) &&
                      strlen(hint) > strlen(end) &&
                      strcmp(hint + strlen(hint) - strlen(end), end) == 0,
                  "%s: not \"%s ... %s\"", hint, words, end);
}

static void lower(int which, rlim_t to)
{
    struct rlimit l;
    ck_assert_int_eq(getrlimit(which, &l), 0);
    l.rlim_cur = to;
    ck_assert_int_eq(setrlimit(which, &l), 0);
}

static unsigned long long number_in(const char *path)
{
    unsigned long long v = 0;
    FILE *const f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(fscanf(f, "%llu", &v), 1);
    fclose(f);
    return v;
}

START_TEST(addresses_are_limited_for_this_process)
{
    lower(RLIMIT_AS, (rlim_t)12345 << 20);
    says(ENOMEM, "limits addresses to 12345 MiB", "ulimit -v unlimited");
}
END_TEST

/* Make every other page from i to end read-only, so that each is a mapping.
 * Returns the first that cannot be. */
static size_t map_pages(char *p, size_t page, size_t i, size_t end)
{
    while (i < end && mprotect(p + i * page, page, PROT_READ) == 0)
        i += 2;
    return i;
}

START_TEST(mappings_are_used_up)
{
    char words[128];
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const unsigned long long maps = number_in("/proc/sys/vm/max_map_count");
    lower(RLIMIT_AS, RLIM_INFINITY);
    char *const p = mmap(NULL, (maps + 1) * page, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ck_assert_ptr_ne(p, MAP_FAILED);
    const size_t half = map_pages(p, page, 0, maps / 2);
    ck_assert_uint_ge(half, maps / 2);
    says(ENOMEM, "", "");
    ck_assert_ptr_null(strstr(hint, "max_map_count"));
    ck_assert_uint_lt(map_pages(p, page, half, maps), maps);
    snprintf(words, sizeof words,
             "allows a process %llu mappings: sysctl vm.max_map_count=%llu,",
             maps, 4 * maps);
    says(ENOMEM, words, "or allocations");
}
END_TEST

START_TEST(nothing_but_memory_is_used_up)
{
    lower(RLIMIT_AS, RLIM_INFINITY);
    if (number_in("/proc/sys/vm/overcommit_memory") == 2)
        says(ENOMEM, "sysctl vm.overcommit_memory=0", "as root");
    else
        says(ENOMEM, "memory of this host are used up", "have less memory");
}
END_TEST

START_TEST(threads_are_limited_for_a_user_and_for_all)
{
    char words[128];
    lower(RLIMIT_NPROC, 678);
    snprintf(words, sizeof words,
             "a user 678 threads (0: any number), kernel.threads-max %llu,",
             number_in("/proc/sys/kernel/threads-max"));
    says(EAGAIN, words, "use fewer ranks");
}
END_TEST

START_TEST(files_are_limited_for_this_process_and_for_all)
{
    char words[128];
    lower(RLIMIT_NOFILE, 67);
    says(EMFILE, "allows a process 67 open files", "and devices");
    snprintf(words, sizeof words, "allows this host %llu open files",
             number_in("/proc/sys/fs/file-max"));
    says(ENFILE, words, "use fewer ranks");
}
END_TEST

START_TEST(another_users_memory_does_not_open)
{
    says(EPERM, "as one user, in one container", "ptrace allowed");
    says(EACCES, "as one user, in one container", "ptrace allowed");
}
END_TEST

START_TEST(no_limit_explains_other_errors)
{
    errno = 0;
    hint[0] = '?';
    ck_assert_str_eq(simgpu_limit_hint(EINVAL, hint, sizeof hint), "");
    ck_assert_int_eq(errno, EINVAL);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("hint");
    TCase *const t = tcase_create("hint");
    tcase_add_test(t, addresses_are_limited_for_this_process);
    tcase_add_test(t, mappings_are_used_up);
    tcase_add_test(t, nothing_but_memory_is_used_up);
    tcase_add_test(t, threads_are_limited_for_a_user_and_for_all);
    tcase_add_test(t, files_are_limited_for_this_process_and_for_all);
    tcase_add_test(t, another_users_memory_does_not_open);
    tcase_add_test(t, no_limit_explains_other_errors);
    suite_add_tcase(s, t);
    return suite_run(s);
}

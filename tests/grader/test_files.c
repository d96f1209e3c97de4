/*
 * Files and folders of the grader's: copies, comparisons, what is removed, what
 * no folder shows; and logs, which keep the first and the last part.
 */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>    /* errno */
#include <fcntl.h>    /* open */
#include <signal.h>   /* kill */
#include <stdio.h>    /* snprintf */
#include <string.h>   /* memset */
#include <sys/mman.h> /* mmap */
#include <sys/stat.h> /* stat */
#include <sys/wait.h> /* waitpid */
#include <unistd.h>   /* fork */

#include "child.h"
#include "grader/base/file.h"
#include "grader/base/folder.h"
#include "grader/sandbox/log.h"
#include "grader/sandbox/unnamed.h"
#include "heap.h"
#include "suite.h"

enum { NAME = CHILD_FOLDER + 64, CHUNK = 65536 };
static char dir[CHILD_FOLDER], a[NAME], b[NAME];

static void make_folder(void)
{
    child_folder(dir, "files");
    snprintf(a, sizeof a, "%s/a", dir);
    snprintf(b, sizeof b, "%s/b", dir);
}

static void remove_folder(void)
{
    child_remove(dir);
}

/* nbytes of 'x', of which the last is `last`. */
static void write_file(const char *path, size_t nbytes, char last)
{
    static char data[2 * CHUNK + 1];
    FILE *const f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    memset(data, 'x', sizeof data);
    if (nbytes)
        data[nbytes - 1] = last;
    ck_assert_uint_eq(fwrite(data, 1, nbytes, f), nbytes);
    fclose(f);
}

/* ---- copies -------------------------------------------------------------- */

static const size_t sizes[] = {0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK};

START_TEST(a_copy_is_the_same)
{
    struct stat st;
    const size_t n = sizes[_i];
    write_file(a, n, 'z');
    write_file(b, 2 * CHUNK + 1, 'y'); // which it replaces
    ck_assert_int_eq(file_copy(a, b), 0);
    ck_assert_int_eq(stat(b, &st), 0);
    ck_assert_uint_eq((size_t)st.st_size, n);
    ck_assert_int_eq(file_same(a, b), 1);
    ck_assert_int_eq(file_same(b, a), 1);
    write_file(b, n + 1, 'x'); // longer
    ck_assert_int_eq(file_same(a, b), 0);
    ck_assert_int_eq(file_same(b, a), 0);
    if (n == 0)
        return;
    write_file(b, n, 'y'); // another last byte
    ck_assert_int_eq(file_same(a, b), 0);
}
END_TEST

/* Open descriptors of this process. */
static int nopen(void)
{
    int n = 0;
    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

START_TEST(what_cannot_be_read_or_written_is_told)
{
    char none[NAME];
    snprintf(none, sizeof none, "%s/no/x", dir);
    write_file(a, 10, 'x');
    const int before = nopen();
    ck_assert_int_eq(file_copy(none, b), -1);
    ck_assert_int_eq(access(b, F_OK), -1); // nothing is left
    ck_assert_int_eq(file_copy(a, none), -1);
    ck_assert_int_eq(file_copy(dir, b), -1); // opens, and cannot be read
    ck_assert_int_eq(file_copy(a, "/dev/full"), -1);
    ck_assert_int_eq(file_same(a, none), 0);
    ck_assert_int_eq(file_same(none, a), 0);
    ck_assert_int_eq(file_same(none, none), 0);
    ck_assert_int_eq(file_same(dir, dir), 0);
    write_file(b, 0, 'x');
    ck_assert_int_eq(file_same(dir, b), 0); // both without bytes
    ck_assert_int_eq(file_same(b, dir), 0);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(file_copy(a, b), 0);
        ck_assert_int_eq(file_same(a, b), 1);
    }
    ck_assert_int_eq(nopen(), before);
}
END_TEST

/* ---- folders ------------------------------------------------------------- */

START_TEST(a_folder_is_made_unless_it_is_there)
{
    struct stat st;
    char inside[NAME + 8];
    ck_assert_int_eq(folder_make(a), 0);
    ck_assert_int_eq(stat(a, &st), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0700);
    snprintf(inside, sizeof inside, "%s/x", a);
    write_file(inside, 1, 'x');
    ck_assert_int_eq(folder_make(a), 0);
    ck_assert_int_eq(access(inside, F_OK), 0); // as it was
    ck_assert_int_eq(folder_make(inside), -1);
    ck_assert_int_eq(errno, EEXIST);
    snprintf(inside, sizeof inside, "%s/y/z", a);
    ck_assert_int_eq(folder_make(inside), -1);
    ck_assert_int_eq(errno, ENOENT);
}
END_TEST

START_TEST(a_folder_is_removed_with_all_in_it_and_nothing_else)
{
    struct child c = child_run(
        10,
        "cd %s && mkdir -p a/b/c b && touch b/kept a/x a/b/.y a/b/c/z && "
        "ln -s ../b a/link && ln -s ../../b/kept a/b/file",
        dir);
    ck_assert_msg(c.status == 0, "%s", c.err);
    child_clear(&c);
    folder_remove(a);
    ck_assert_int_eq(access(a, F_OK), -1);
    snprintf(a, sizeof a, "%s/b/kept", dir);
    ck_assert_int_eq(access(a, F_OK), 0);
}
END_TEST

/* ---- files without a name ------------------------------------------------ */

/* Not where Check has its own files without a name. */
static const char shm[] = "/dev/shm";

/* A file that no folder shows. */
static int unnamed_file(off_t nbytes)
{
    const int fd = open(shm, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(ftruncate(fd, nbytes), 0);
    return fd;
}

/* A child that holds what this process has open until it is killed. */
static pid_t hold(void)
{
    const pid_t pid = fork();
    if (pid == 0)
        for (;;)
            pause();
    return pid;
}

static void release(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

START_TEST(a_childs_open_files_without_a_name_count)
{
    const int one = unnamed_file(5000000), two = unnamed_file(700);
    ck_assert_int_eq(unnamed_nbytes(shm), 0); // our own do not
    const pid_t first = hold(), second = hold();
    ck_assert_int_eq(unnamed_nbytes(shm), 5000700); // each once
    ck_assert_int_eq(unnamed_nbytes("/proc"), 0);   // another file system
    ck_assert_int_eq(unnamed_nbytes(a), 0);         // none
    release(first);
    ck_assert_int_eq(unnamed_nbytes(shm), 5000700);
    release(second);
    ck_assert_int_eq(unnamed_nbytes(shm), 0);
    close(one);
    close(two);
}
END_TEST

START_TEST(files_with_a_name_and_others_do_not_count)
{
    int ends[2];
    snprintf(a, sizeof a, "%s/commlab-files-%d", shm, (int)getpid());
    write_file(a, 1000, 'x');
    const int named = open(a, O_RDONLY | O_CLOEXEC);
    ck_assert(named >= 0 && pipe(ends) == 0);
    pid_t pid = hold();
    ck_assert_int_eq(unnamed_nbytes(shm), 0);
    unlink(a);
    ck_assert_int_eq(unnamed_nbytes(shm), 4096); // the page that it takes
    release(pid);
    close(named);
    close(ends[0]);
    close(ends[1]);
}
END_TEST

/* The same mapped from an offset, and one that is larger open. */
START_TEST(what_is_mapped_counts_to_its_end)
{
    enum { PAGE = 4096 };
    const int fd = unnamed_file(10 * PAGE), both = unnamed_file(8 * PAGE);
    void *const m = mmap(NULL, 3 * PAGE, PROT_READ, MAP_SHARED, fd, 2 * PAGE),
                *const n = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, both, 0);
    ck_assert(m != MAP_FAILED && n != MAP_FAILED);
    close(fd);
    const pid_t pid = hold();
    ck_assert_int_eq(unnamed_nbytes(shm), (5 + 8) * PAGE);
    ck_assert_int_eq(unnamed_nbytes("/proc"), 0);
    release(pid);
    munmap(m, 3 * PAGE);
    munmap(n, PAGE);
    close(both);
}
END_TEST

/* More than there is room for at first, below a child's child. */
START_TEST(many_files_of_a_grandchild_count)
{
    enum { MANY = 150 };
    int ready[2];
    char byte;
    ck_assert_int_eq(pipe(ready), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        if (fork() == 0) {
            for (int i = 0; i < MANY; i++)
                unnamed_file(100 + i);
            byte = write(ready[1], "r", 1) == 1;
        }
        for (;;)
            pause();
    }
    ck_assert_int_eq(read(ready[0], &byte, 1), 1);
    ck_assert_int_eq(unnamed_nbytes(shm), MANY * 100 + MANY * (MANY - 1) / 2);
    kill(-pid, SIGKILL);
    waitpid(pid, NULL, 0);
    close(ready[0]);
    close(ready[1]);
}
END_TEST

/* ---- logs ---------------------------------------------------------------- */

/* Text of which each byte tells where it is. */
static char byte_at(size_t i)
{
    return (char)('a' + i % 23 % (i / 23 % 19 + 4));
}

static void log_of(struct log *l, size_t nbytes, size_t step)
{
    char data[3 * LOG_TAIL];
    memset(l, 0, sizeof *l);
    for (size_t at = 0, n; at < nbytes; at += n) {
        n = step < nbytes - at ? step : nbytes - at;
        for (size_t i = 0; i < n; i++)
            data[i] = byte_at(at + i);
        log_add(l, data, n);
    }
}

static const size_t lengths[] = {0,
                                 100,
                                 LOG_HEAD - 1,
                                 LOG_HEAD,
                                 LOG_HEAD + 1,
                                 LOG_HEAD + LOG_TAIL - 1,
                                 LOG_HEAD + LOG_TAIL,
                                 LOG_HEAD + LOG_TAIL + 1,
                                 LOG_HEAD + 7 * LOG_TAIL + 5};
static const size_t steps[] = {97, 1000, LOG_TAIL, LOG_TAIL + 1, 3 * LOG_TAIL};
enum { NSTEPS = sizeof steps / sizeof *steps };

START_TEST(a_log_has_both_ends_of_what_was_added)
{
    static struct log l;
    const size_t n = lengths[_i / NSTEPS], head = n < LOG_HEAD ? n : LOG_HEAD,
                 rest = n - head, tail = rest < LOG_TAIL ? rest : LOG_TAIL;
    log_of(&l, n, steps[_i % NSTEPS]);
    ck_assert_uint_eq(l.nhead, head);
    ck_assert_uint_eq(l.ntail, tail);
    ck_assert_uint_eq(l.dropped, n - head - tail);
    ck_assert_uint_eq(strlen(l.head), head);
    ck_assert_uint_eq(strlen(l.tail), tail);
    size_t good = 0; // Check notes each assertion in a file: not one a byte
    while (good < head && l.head[good] == byte_at(good))
        good++;
    ck_assert_uint_eq(good, head);
    for (good = 0; good < tail && l.tail[good] == byte_at(n - tail + good);)
        good++;
    ck_assert_uint_eq(good, tail);
}
END_TEST

START_TEST(a_log_is_text)
{
    static struct log l;
    log_add(&l, "a\0b\0", 4);
    ck_assert_str_eq(l.head, "a?b?");
    ck_assert_uint_eq(l.nhead, 4);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("files");
    TCase *const t = tcase_create("files");
    heap_watch(t);
    tcase_add_checked_fixture(t, make_folder, remove_folder);
    SUITE_LOOP(t, a_copy_is_the_same, sizes);
    tcase_add_test(t, what_cannot_be_read_or_written_is_told);
    tcase_add_test(t, a_folder_is_made_unless_it_is_there);
    tcase_add_test(t, a_folder_is_removed_with_all_in_it_and_nothing_else);
    tcase_add_test(t, a_childs_open_files_without_a_name_count);
    tcase_add_test(t, files_with_a_name_and_others_do_not_count);
    tcase_add_test(t, what_is_mapped_counts_to_its_end);
    tcase_add_test(t, many_files_of_a_grandchild_count);
    tcase_add_loop_test(t, a_log_has_both_ends_of_what_was_added, 0,
                        NSTEPS * (int)(sizeof lengths / sizeof *lengths));
    tcase_add_test(t, a_log_is_text);
    suite_add_tcase(s, t);
    return suite_run(s);
}

/*
 * Where a submission is graded: the kit around this program, a folder to work
 * in, and a socket in a folder.
 */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>      /* errno */
#include <stdio.h>      /* snprintf */
#include <stdlib.h>     /* setenv */
#include <string.h>     /* strcmp */
#include <sys/socket.h> /* connect */
#include <sys/stat.h>   /* stat */
#include <sys/un.h>     /* sockaddr_un */
#include <unistd.h>     /* close */

#include "batches.h"
#include "fds.h"
#include "grader/base/listener.h"
#include "grader/job/place.h"
#include "suite.h"

static char dir[CHILD_FOLDER], err[512];
static struct place place;

static void setup(void)
{
    child_folder(dir, "place");
    place = (struct place){.plan = NULL};
    err[0] = 0;
}

static void teardown(void)
{
    child_remove(dir);
}

/* ---- the kit ------------------------------------------------------------- */

static const struct {
    const char *lab, *full; /* NULL: there is none */
} finds[] = {
    {"lab1", "lab1-collectives"},
    {"lab1-collectives", "lab1-collectives"},
    {"lab2", "lab2-gradient-sync"},
    {"lab1-coll", NULL},
    {"lab1-", NULL},
    {"lab", NULL},
    {"lab1-collectives2", NULL},
    {"", NULL},
};

START_TEST(a_lab_is_found_by_either_name)
{
    char want[2 * CHILD_FOLDER], kit[CHILD_FOLDER];
    const struct request q = {.lab = finds[_i].lab};
    const char *const full = finds[_i].full;
    ck_assert_msg(place_find(&place, &q, err, sizeof err) == (full ? 0 : 1),
                  "%s", err);
    snprintf(want, sizeof want, "there is no lab \"%s\"", finds[_i].lab);
    ck_assert_str_eq(err, full ? "" : want);
    snprintf(want, sizeof want, "%s/..", child_build());
    ck_assert_ptr_nonnull(realpath(want, kit));
    ck_assert_str_eq(place.kit, kit);
    if (full) {
        ck_assert_str_eq(place.lab, full);
        ck_assert_str_eq(place.judge->lab, full);
        ck_assert_int_gt(place.plan->ncases, 0);
        ck_assert_ptr_nonnull(place.machine.backend);
        snprintf(want, sizeof want, "%s/solutions/%s", kit, full);
        ck_assert_str_eq(place.contracts, want);
        snprintf(want, sizeof want, "%s/tests/grader", child_build());
        ck_assert_str_eq(place.build, want);
    }
    place_release(&place);
    ck_assert_ptr_null(place.plan);
    ck_assert_str_eq(place.kit, "");
}
END_TEST

START_TEST(a_machine_has_to_be_known)
{
    const struct request q = {.lab = "lab1", .backend = "abacus"};
    ck_assert_int_eq(place_find(&place, &q, err, sizeof err), -1);
    ck_assert_ptr_nonnull(strstr(err, "is missing: run make"));
    place_release(&place);
}
END_TEST

/* ---- the folder ---------------------------------------------------------- */

static unsigned mode_of(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? st.st_mode & 07777 : 0;
}

/* A folder that is given, also if it is there already, or a new one. */
START_TEST(a_folder_to_work_in_can_be_passed_through)
{
    char path[CHILD_FOLDER + 16], tmp[2 * CHILD_FOLDER];
    snprintf(path, sizeof path, "%s/w", dir);
    setenv("TMPDIR", dir, 1);
    const struct request q[] = {{.work = path}, {.work = path}, {.work = NULL}};
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(place_make_work(&place, &q[i], err, sizeof err), 0);
        if (i < 2)
            ck_assert_str_eq(place.work, path);
        else
            ck_assert_int_eq(strncmp(place.work, dir, strlen(dir)), 0);
        ck_assert_uint_eq(mode_of(place.work), 0711);
        snprintf(tmp, sizeof tmp, "%s/tmp", place.work);
        ck_assert_str_eq(place.tmp, tmp);
        ck_assert_uint_eq(mode_of(tmp), 0700);
    }
    snprintf(path, sizeof path, "%s", place.work);
    place_remove_work(&place);
    ck_assert_str_eq(place.work, "");
    ck_assert_uint_eq(mode_of(path), 0);
    place_remove_work(&place);
    ck_assert_int_eq(batches_nfiles(dir), 1);
    unsetenv("TMPDIR");
}
END_TEST

START_TEST(a_folder_that_cannot_be_made_is_named)
{
    char path[CHILD_FOLDER + 16], want[2 * CHILD_FOLDER];
    const struct request q = {.work = path};
    snprintf(path, sizeof path, "%s/no/w", dir);
    ck_assert_int_eq(place_make_work(&place, &q, err, sizeof err), -1);
    snprintf(want, sizeof want, "cannot make %s: No such file or directory",
             path);
    ck_assert_str_eq(err, want);
    struct child c = child_run(20, "mkdir %s/w; echo > %s/w/tmp", dir, dir);
    child_clear(&c);
    snprintf(path, sizeof path, "%s/w", dir);
    ck_assert_int_eq(place_make_work(&place, &q, err, sizeof err), -1);
    snprintf(want, sizeof want, "cannot make %s/tmp: File exists", path);
    ck_assert_str_eq(err, want);
}
END_TEST

/* ---- a socket ------------------------------------------------------------ */

/* Every user may connect, and the folder's path may be long. */
START_TEST(a_socket_is_open_to_all)
{
    char path[CHILD_FOLDER + 200], link[64];
    struct stat st;
    snprintf(path, sizeof path, "%s/%0150d", dir, 0);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    const int s = listener_open(path, "socket");
    ck_assert_int_ge(s, 0);
    ck_assert_int_eq(listener_open(path, "socket"), -1);
    ck_assert_int_eq(errno, EADDRINUSE);
    // by a short name of the same folder
    char beside[CHILD_FOLDER];
    child_folder(beside, "place");
    snprintf(link, sizeof link, "%.58s/link", beside);
    ck_assert_int_eq(symlink(path, link), 0);
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    snprintf(to.sun_path, sizeof to.sun_path, "%.60s/socket", link);
    ck_assert(stat(to.sun_path, &st) == 0 && S_ISSOCK(st.st_mode));
    ck_assert_uint_eq(st.st_mode & 0777, 0666);
    const int client = socket(AF_UNIX, SOCK_STREAM, 0);
    ck_assert_int_eq(connect(client, (const struct sockaddr *)&to, sizeof to),
                     0);
    close(client);
    listener_close(-1, path, "socket");
    ck_assert_int_eq(batches_nfiles(path), 1);
    listener_close(s, path, "socket");
    ck_assert_int_eq(batches_nfiles(path), 0);
    child_remove(beside);
}
END_TEST

START_TEST(a_socket_needs_a_folder)
{
    char path[CHILD_FOLDER + 16];
    snprintf(path, sizeof path, "%s/none", dir);
    ck_assert_int_eq(listener_open(path, "socket"), -1);
    ck_assert_int_eq(errno, ENOENT);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("place");
    TCase *const t = tcase_create("place");
    fds_watch(t);
    tcase_add_checked_fixture(t, setup, teardown);
    SUITE_LOOP(t, a_lab_is_found_by_either_name, finds);
    tcase_add_test(t, a_machine_has_to_be_known);
    tcase_add_test(t, a_folder_to_work_in_can_be_passed_through);
    tcase_add_test(t, a_folder_that_cannot_be_made_is_named);
    tcase_add_test(t, a_socket_is_open_to_all);
    tcase_add_test(t, a_socket_needs_a_folder);
    suite_add_tcase(s, t);
    return suite_run(s);
}

/*
 * Command lines that the grader makes: Slurm's from a course's settings, and
 * bubblewrap's from a sandbox's.
 */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>    /* ERANGE */
#include <fcntl.h>    /* AT_FDCWD */
#include <pwd.h>      /* getpwuid_r */
#include <stdio.h>    /* open_memstream */
#include <stdlib.h>   /* free */
#include <string.h>   /* strstr */
#include <sys/stat.h> /* lstat */
#include <unistd.h>   /* unlink */

#include "fds.h"
#include "grader/batch/slurm_config.h"
#include "grader/batch/slurm_job.h"
#include "grader/sandbox/sandbox_args.h"
#include "suite.h"

/* ---- Slurm --------------------------------------------------------------- */

static struct slurm_config config;
static char err[512];

/* The settings' file is called x.yml in what is said. */
static int load(const char *yaml, const char *gpu)
{
    char path[] = "/tmp/commlab-slurm-XXXXXX";
    const int fd = mkstemp(path);
    FILE *const f = fdopen(fd, "w");
    fputs(yaml, f);
    fclose(f);
    err[0] = 0;
    const int failed = slurm_config_load(&config, path, gpu, err, sizeof err);
    unlink(path);
    if (strncmp(err, path, strlen(path)) == 0) {
        char rest[sizeof err];
        strcpy(rest, err + strlen(path));
        snprintf(err, sizeof err, "x.yml%.500s", rest);
    }
    return failed;
}

static const char all_keys[] =
    "account: a\npartition: b\nqos: c\nreservation: d\nconstraint: e\n"
    "gpus: 8\ngres: f\nnodes: 1\ncpus: 9\nmemory: 16G\ntime: '02:00:00'\n"
    "per_job: 5\nat_once: 6\nsetup: |\n  one\n  two\ncontainer: run it's\n";

static char *written(void (*write)(FILE *, const struct slurm_config *))
{
    char *text = NULL;
    size_t n;
    FILE *const f = open_memstream(&text, &n);
    write(f, &config);
    fclose(f);
    return text;
}

static void ck_written(void (*write)(FILE *, const struct slurm_config *),
                       const char *want)
{
    char *const text = written(write);
    ck_assert_str_eq(text, want);
    free(text);
}

START_TEST(each_key_is_an_option_of_sbatch)
{
    ck_assert_msg(load(all_keys, NULL) == 0, "%s", err);
    ck_written(slurm_job_options,
               " '--account=a' '--partition=b' '--qos=c' '--reservation=d' "
               "'--constraint=e' '--gpus=8' '--gres=f' '--nodes=1' "
               "'--cpus-per-task=9' '--mem=16G' '--time=02:00:00'");
    ck_written(slurm_job_begin, "#!/bin/bash -l\none\ntwo\n\n");
    ck_written(slurm_job_command, "run it's ");
    ck_assert_int_eq(config.per_job, 5);
    ck_assert_int_eq(config.at_once, 6);
    ck_assert_str_eq(config.gpu, "");
}
END_TEST

START_TEST(without_keys_sbatch_decides)
{
    ck_assert_int_eq(slurm_config_load(&config, NULL, NULL, err, sizeof err),
                     0);
    for (int i = 0; i < 2; i++) { // no file, and an empty one
        ck_written(slurm_job_options, "");
        ck_written(slurm_job_begin, "#!/bin/bash -l\n");
        ck_written(slurm_job_command, "");
        ck_assert_int_eq(config.per_job, 4);
        ck_assert_int_eq(config.at_once, 8);
        ck_assert_int_eq(load("", NULL), 0);
    }
}
END_TEST

START_TEST(a_shell_takes_options_as_they_are)
{
    ck_assert_int_eq(load("qos: \"it's $x\"\n", NULL), 0);
    ck_written(slurm_job_options, " '--qos=it'\\''s $x'");
}
END_TEST

#define PARTITIONS                                                             \
    "partitions:\n  h100: {partition: p1, gres: g1}\n  a100: {partition: "     \
    "p2, per_job: 7}\npartition: p0\nqos: q\n"
static const struct {
    const char *gpu, *is, *options;
    int per_job;
} partitions[] = {
    {NULL, "h100", " '--partition=p1' '--qos=q' '--gres=g1'", 4},
    {"h100", "h100", " '--partition=p1' '--qos=q' '--gres=g1'", 4},
    {"a100", "a100", " '--partition=p2' '--qos=q'", 7},
};

START_TEST(a_partitions_word_counts_more_than_what_all_have)
{
    ck_assert_msg(load(PARTITIONS, partitions[_i].gpu) == 0, "%s", err);
    ck_assert_str_eq(config.gpu, partitions[_i].is);
    ck_written(slurm_job_options, partitions[_i].options);
    ck_assert_int_eq(config.per_job, partitions[_i].per_job);
}
END_TEST

static const struct {
    const char *yaml, *gpu, *says;
} wrongs[] = {
    {"qos: a\nper_job: 0\n", NULL, "x.yml:2: per_job is a number of students"},
    {"per_job: 10001\n", NULL, "x.yml:1: per_job is a number of students"},
    {"at_once: 0\n", NULL, "x.yml:1: at_once is a number of allocations"},
    {"at_once: 10001\n", NULL, "x.yml:1: at_once is a number of allocations"},
    {"per_job: 10000\nat_once: 10000\n", NULL, ""},
    {"per_job: 1\nat_once: 1\n", NULL, ""},
    {"\n\nqueue: x\n", NULL,
     "x.yml:3: no such key (account, partition, qos, reservation, constraint, "
     "gpus, gres, nodes, cpus, memory, time, per_job, at_once, setup, "
     "container, partitions)"},
    {"qos: [a]\n", NULL, "x.yml:1: a key has a single value"},
    {"[a]: b\n", NULL, "x.yml:1: a key has a single value"},
    {"- a\n", NULL, "x.yml:1: a list of \"key: value\""},
    {"partitions:\n  a\n", NULL, "x.yml:2: a list of \"key: value\""},
    {"partitions:\n  a: b\n", NULL, "x.yml:2: a list of \"key: value\""},
    {"partitions:\n  [a]: {}\n", NULL, "x.yml:2: the name of a GPU"},
    {"partitions:\n  a: {}\n  b: {at_once: x}\n", "a",
     "x.yml:3: at_once is a number of allocations"},
    {PARTITIONS, "b200", "x.yml has no partition for --gpu b200"},
    {"qos: a\n", "b200", "x.yml has no partition for --gpu b200"},
    {"", "b200", "x.yml has no partition for --gpu b200"},
};

START_TEST(what_is_wrong_with_settings_is_told)
{
    const int failed = load(wrongs[_i].yaml, wrongs[_i].gpu);
    ck_assert_str_eq(err, wrongs[_i].says);
    ck_assert_int_eq(failed, wrongs[_i].says[0] ? -1 : 0);
}
END_TEST

/* The longest value that fits, and one more letter. */
static const struct {
    const char *key;
    int most;
} lengths[] = {{"account: ", 149}, {"setup: ", 4095}, {"container: ", 1023}};

START_TEST(a_value_has_to_fit)
{
    char yaml[5000];
    for (int more = 0; more <= 1; more++) {
        snprintf(yaml, sizeof yaml, "%s%0*d\n", lengths[_i].key,
                 lengths[_i].most + more, 0);
        ck_assert_int_eq(load(yaml, NULL), -more);
        ck_assert_str_eq(err, more ? "x.yml:1: a value is too long" : "");
    }
}
END_TEST

START_TEST(the_name_of_a_gpu_has_to_fit)
{
    char yaml[200];
    for (int more = 0; more <= 1; more++) {
        snprintf(yaml, sizeof yaml, "partitions:\n  %0*d: {}\n", 63 + more, 0);
        ck_assert_int_eq(load(yaml, NULL), -more);
        ck_assert_str_eq(err, more ? "x.yml:2: the name of a GPU" : "");
    }
}
END_TEST

START_TEST(files_that_are_none_are_told)
{
    ck_assert_int_eq(
        slurm_config_load(&config, "/no/x.yml", NULL, err, sizeof err), -1);
    ck_assert_str_eq(err, "/no/x.yml: No such file or directory");
    ck_assert_int_eq(slurm_config_load(&config, NULL, "h100", err, sizeof err),
                     -1);
    ck_assert_str_eq(err, "--gpu needs a --config with partitions");
    ck_assert_int_eq(load("qos: a\n\"b\n", NULL), -1);
    ck_assert_msg(strncmp(err, "x.yml:", 6) == 0 && strlen(err) > 10, "%s",
                  err);
}
END_TEST

/* ---- sandboxes ----------------------------------------------------------- */

/* Accounts of these tests, instead of the system's. */
static uid_t first_account, last_account;
static int no_room;

int getpwuid_r(uid_t uid, struct passwd *entry, char *text, size_t n,
               struct passwd **found)
{
    (void)text, (void)n;
    *found = uid >= first_account && uid <= last_account ? entry : NULL;
    return no_room && *found == entry ? (*found = NULL, ERANGE) : 0;
}

static const struct {
    pid_t grader;
    uid_t first, last, user; /* first to last have accounts */
} users[] = {
    {0, 1, 2, 61184},
    {3999, 1, 2, 65183},
    {4000, 1, 2, 61184},
    {4001, 1, 2, 61185},
    {0, 61184, 61184, 65184},
    {1, 61184, 61184, 61185},
    {335, 61184, 65183, 65519},
    {336, 61184, 65183, 65184},
    {0, 61184, 65184, 65185},
    {335, 61184, 65183, 65519},
    {1, 61184, 65518, 65519},
    {7, 61184, 65535, 61191}, // all have: there is none
};

START_TEST(a_sandboxs_user_has_no_account)
{
    first_account = users[_i].first;
    last_account = users[_i].last;
    for (no_room = 0; no_room < 2; no_room++)
        ck_assert_uint_eq(args_user(users[_i].grader), users[_i].user);
}
END_TEST

static char *line_of(int level)
{
    static const char *const argv[] = {"prog", "x y", NULL};
    const struct sandbox s = {
        .level = level,
        .bind = {{"/from", "/to", 0}, {"/out", "/out2", 1}},
        .nbinds = 2};
    struct args a;
    char *text = NULL;
    size_t n;
    args_make(&a, &s, argv, 77);
    ck_assert_ptr_null(a.v[a.n]);
    FILE *const f = open_memstream(&text, &n);
    for (int i = 0; i < a.n; i++)
        fprintf(f, "%s ", a.v[i]);
    fclose(f);
    args_release(&a);
    return text;
}

/* What bubblewrap is told, by whoever runs it; in this order. */
static const char *const common[] = {
    "bwrap --unshare-",
    " --die-with-parent --new-session --seccomp 77 "
    "--ro-bind /usr /usr ",
    " /bin ",
    " /lib ",
    " --perms 0755 --dir /etc --ro-bind-try /etc/ld.so.cache /etc/ld.so.cache "
    "--ro-bind-try /etc/alternatives /etc/alternatives --ro-bind-try "
    "/etc/passwd /etc/passwd --ro-bind-try /etc/hosts /etc/hosts --ro-bind-try "
    "/etc/nsswitch.conf /etc/nsswitch.conf --proc /proc --dev /dev ",
    "--size 536870912 --perms 1777 --tmpfs /tmp --ro-bind /from /to --bind "
    "/out /out2 --chdir /tmp --",
    " /bin/sh -c # sandbox_start.sh: ",
    "\nprintf r >&9 && exec \"$@\" 9>&-\n sh 1 prog x y "};

static const char *const by_root[] = {
    "bwrap --unshare-ipc --unshare-pid --unshare-net --unshare-uts "
    "--unshare-cgroup-try --cap-drop ALL --cap-add CAP_SETUID --cap-add "
    "CAP_SETGID --cap-add CAP_SETPCAP --die-with-parent ",
    "--size 1073741824 --perms 1777 --tmpfs /dev/shm --remount-ro /dev "
    "--size 536870912 ",
    " -- setpriv --reuid ",
    " --clear-groups --inh-caps=-all --bounding-set=-all -- prlimit "
    "--nproc=512 -- /bin/sh "};

static const char *const by_others[] = {
    "bwrap --unshare-all --die-with-parent ",
    "--size 1073741824 --perms 1777 --tmpfs /dev/shm --remount-ro /dev ",
    " -- prlimit --nproc=512 -- /bin/sh -c "};

static void in_order(const char *line, const char *const *parts, size_t n)
{
    for (size_t i = 0, at = 0; i < n; i++) {
        const char *const found = strstr(line + at, parts[i]);
        ck_assert_msg(found != NULL, "no \"%s\" in %s", parts[i], line + at);
        at = (size_t)(found - line) + strlen(parts[i]) - 1;
    }
}

START_TEST(bubblewrap_is_told_all_of_it)
{
    char *const line = line_of(2);
    in_order(line, common, sizeof common / sizeof *common);
    if (geteuid() == 0)
        in_order(line, by_root, sizeof by_root / sizeof *by_root);
    else
        in_order(line, by_others, sizeof by_others / sizeof *by_others);
    free(line);
}
END_TEST

/* /bin and the like: folders (1), links (2), or as they are here (0). */
static int roots;

int lstat(const char *restrict path, struct stat *restrict st)
{
    if (roots == 0)
        return fstatat(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
    *st = (struct stat){.st_mode = roots == 1 ? S_IFDIR : S_IFLNK};
    return strcmp(path, "/lib64") == 0 ? -1 : 0;
}

ssize_t readlink(const char *restrict path, char *restrict to, size_t n)
{
    if (roots == 0)
        return readlinkat(AT_FDCWD, path, to, n);
    memcpy(to, "usr/x", 5);
    return 5;
}

START_TEST(the_systems_folders_are_there_as_on_the_machine)
{
    static const char *const says[] = {
        NULL,
        " --ro-bind /bin /bin --ro-bind /sbin /sbin --ro-bind /lib /lib "
        "--perms ",
        " --symlink usr/x /bin --symlink usr/x /sbin --symlink usr/x /lib "
        "--perms "};
    roots = _i;
    char *const line = line_of(2);
    ck_assert_msg(strstr(line, says[_i]) != NULL, "%s", line);
    free(line);
    roots = 0;
}
END_TEST

/* The GPUs of these tests' machine. */
static int ngpus;

int glob(const char *restrict pattern, int flags,
         int (*on_error)(const char *, int), glob_t *restrict found)
{
    static char name[64][32], *names[65];
    (void)on_error;
    ck_assert_str_eq(pattern, "/dev/nvidia*");
    ck_assert_int_eq(flags, 0);
    *found = (glob_t){.gl_pathc = (size_t)ngpus, .gl_pathv = names};
    for (int i = 0; i < ngpus; i++) {
        snprintf(name[i], sizeof name[i], "/dev/nvidia%d", i);
        names[i] = name[i];
    }
    return ngpus ? 0 : GLOB_NOMATCH;
}

void globfree(glob_t *found)
{
    found->gl_pathv = NULL; // and what was copied from it stays
}

static const struct {
    int are, seen;
} gpus[] = {
    {0, 0}, {1, 1}, {2, 2}, {GPU_FILES, GPU_FILES}, {GPU_FILES + 1, GPU_FILES}};

START_TEST(a_machines_gpus_are_inside)
{
    char *want = NULL;
    size_t n;
    FILE *const f = open_memstream(&want, &n);
    fprintf(f, " --dev /dev ");
    for (int i = 0; i < gpus[_i].seen; i++)
        fprintf(f, "--dev-bind /dev/nvidia%d /dev/nvidia%d ", i, i);
    fprintf(f, "%s--", gpus[_i].seen ? "--ro-bind /sys /sys " : "");
    fclose(f);
    ngpus = gpus[_i].are;
    char *const line = line_of(2);
    ck_assert_msg(strstr(line, want) != NULL, "%s\n%s", want, line);
    ck_assert_int_eq(strstr(line, " /sys ") != NULL, ngpus > 0);
    free(line);
    free(want);
}
END_TEST

START_TEST(below_level_2_there_is_but_a_shell)
{
    char *const line = line_of(1);
    const char *const parts[] = {"/bin/sh -c # sandbox_start.sh: ",
                                 " sh 0 prog x y "};
    in_order(line, parts, sizeof parts / sizeof *parts);
    ck_assert_ptr_eq(strstr(line, parts[0]), line);
    free(line);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("commands");
    TCase *const t = tcase_create("commands");
    fds_watch(t);
    tcase_add_test(t, each_key_is_an_option_of_sbatch);
    tcase_add_test(t, without_keys_sbatch_decides);
    tcase_add_test(t, a_shell_takes_options_as_they_are);
    SUITE_LOOP(t, a_partitions_word_counts_more_than_what_all_have, partitions);
    SUITE_LOOP(t, what_is_wrong_with_settings_is_told, wrongs);
    SUITE_LOOP(t, a_value_has_to_fit, lengths);
    tcase_add_test(t, the_name_of_a_gpu_has_to_fit);
    tcase_add_test(t, files_that_are_none_are_told);
    SUITE_LOOP(t, a_sandboxs_user_has_no_account, users);
    tcase_add_test(t, bubblewrap_is_told_all_of_it);
    tcase_add_loop_test(t, the_systems_folders_are_there_as_on_the_machine, 1,
                        3);
    SUITE_LOOP(t, a_machines_gpus_are_inside, gpus);
    tcase_add_test(t, below_level_2_there_is_but_a_shell);
    suite_add_tcase(s, t);
    return suite_run(s);
}

/*
 * What a program in the sandbox can do at each level, and whose fault it is
 * when it doesn't get to its end.
 */
#define _GNU_SOURCE
#include <check.h>
#include <grp.h>          /* setgroups */
#include <netinet/in.h>   /* sockaddr_in */
#include <pwd.h>          /* getpwuid */
#include <signal.h>       /* kill */
#include <stdio.h>        /* snprintf */
#include <stdlib.h>       /* mkdtemp */
#include <string.h>       /* strstr */
#include <sys/prctl.h>    /* prctl */
#include <sys/resource.h> /* setrlimit, getrusage */
#include <sys/socket.h>   /* listen */
#include <sys/stat.h>     /* mkdir */
#include <sys/wait.h>     /* waitpid */
#include <unistd.h>       /* getuid */

#include "base/steady.h"
#include "child.h"
#include "grader/base/folder.h"
#include "grader/sandbox/sandbox.h"
#include "grader/sandbox/sandbox_args.h"
#include "suite.h"

static char dir[64], tmp[96], job[96], kit[96];

static void make_folders(void)
{
    strcpy(dir, "/tmp/commlab-sandbox-XXXXXX");
    ck_assert(mkdtemp(dir) != NULL);
    ck_assert_int_eq(chmod(dir, 0711), 0);
    snprintf(tmp, sizeof tmp, "%s/tmp", dir);
    snprintf(job, sizeof job, "%s/job", dir);
    snprintf(kit, sizeof kit, "%s/kit", dir);
    ck_assert_int_eq(mkdir(tmp, 0700) | mkdir(job, 0700) | mkdir(kit, 0755), 0);
    struct child c = child_run(10,
                               "cd %s && mkdir outside && echo x > outside/old "
                               "&& chmod 777 outside",
                               dir);
    ck_assert_msg(c.status == 0, "%s", c.err);
    child_clear(&c);
}

static void remove_folders(void)
{
    folder_remove(dir);
}

/* Run a shell script at a level; $JOB may be written, $KIT may not. */
static const struct sandbox_end *run_with(int level, int keeps_modes,
                                          const char *script)
{
    static struct sandbox_end end;
    struct sandbox s = {
        .level = level,
        .tmp = tmp,
        .bind = {{kit, "/kit", 0}, {job, "/job", 1}},
        .nbinds = 2,
        .limit_sec = 60,
        .watch = job,
        .idle_sec = 60,
        .most_bytes = 8 << 20,
        .memory_mib = 256,
        .keeps_modes = keeps_modes,
    };
    s.env[0][0] = "JOB", s.env[0][1] = sandbox_path(&s, "/job");
    s.env[1][0] = "KIT", s.env[1][1] = sandbox_path(&s, "/kit");
    const char *const argv[] = {"sh", "-c", script, NULL};
    sandbox_run(&s, argv, &end);
    return &end;
}

static const struct sandbox_end *run(int level, const char *script)
{
    return run_with(level, 0, script);
}

static const struct {
    const char *what, *script;
    int from; /* the lowest level at which it fails */
} attempts[] = {
    {"write outside of what is bound", "echo x > $OUTSIDE/new", 1},
    {"read outside of what is bound", "head -c 1 $OUTSIDE/old", 1},
    {"write to the kit", "echo x > $KIT/x", 1},
    {"see another's folder in /tmp", "ls /tmp | grep commlab-sandbox", 1},
    {"make namespaces", "unshare --user true", 1},
    {"trace",
     "python3 -c 'import ctypes; c = ctypes.CDLL(None); "
     "exit(c.ptrace(0, 0, 0, 0) != 0)'",
     1},
    {"send datagrams",
     "python3 -c 'import socket; socket.socket(socket.AF_INET, "
     "socket.SOCK_DGRAM)'",
     1},
    {"see the grader's processes", "ls /proc/$PARENT_OF_ALL", 2},
    {"reach the host's network",
     "python3 -c 'import socket; s = socket.socket(); "
     "exit(s.connect_ex((\"127.0.0.1\", '$PORT')) != 0)'",
     2},
    {"write to its own folder", "echo x > $JOB/x && cat $JOB/x", 4},
    {"use shared memory",
     "echo x > /dev/shm/commlab-$$; rm /dev/shm/commlab-$$", 4},
    {"read the kit", "ls $KIT", 4},
};
enum { NATTEMPTS = sizeof attempts / sizeof *attempts };

/* Listen on a port of the host's own, without a network beyond it. */
static int listen_here(int *port)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof at;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert(fd >= 0 && bind(fd, (struct sockaddr *)&at, n) == 0 &&
              listen(fd, 1) == 0 &&
              getsockname(fd, (struct sockaddr *)&at, &n) == 0);
    *port = ntohs(at.sin_port);
    return fd;
}

START_TEST(each_level_refuses_what_it_says)
{
    const int level = _i % 4, i = _i / 4;
    int port;
    char script[512];
    if (level == 3 && getuid() != 0)
        return; // who is not root is told so: another test
    const int listener = listen_here(&port);
    snprintf(script, sizeof script,
             "PARENT_OF_ALL=%d PORT=%d OUTSIDE=%s/outside; %s", (int)getpid(),
             port, dir, attempts[i].script);
    const struct sandbox_end *const end = run(level, script);
    close(listener);
    ck_assert_msg(!end->infra, "%s: %s", attempts[i].what, end->log.head);
    ck_assert_msg((end->status != 0) == (level >= attempts[i].from),
                  "level %d, %s: status %d\n%s", level, attempts[i].what,
                  end->status, end->log.head);
}
END_TEST

/* Whose limit it is depends on the machine: a control group's, or a user
 * namespace's. */
START_TEST(processes_without_end_are_stopped)
{
    const struct sandbox_end *const end =
        run(2, "i=0; while [ $i -lt 600 ]; do sleep 30 & i=$((i + 1)); done; "
               "echo all of them");
    if (!strstr(end->missing, "processes"))
        ck_assert_msg(!end->infra && end->status != 0 &&
                          !strstr(end->log.head, "all of them"),
                      "status %d\n%s", end->status, end->log.head);
    if (strcmp(end->processes, "control group") ==
        0) // who is refused is counted
        ck_assert_int_gt(end->refused, 0);
    if (args_limit_processes(&(struct sandbox){.level = 2}))
        ck_assert_ptr_null(strstr(end->missing, "processes"));
}
END_TEST

START_TEST(nobody_is_root_inside)
{
    const struct sandbox_end *const end =
        run(_i, "test $(id -u) != 0 && test $(id -ru) != 0 && "
                "grep -q '^CapEff:.0000000000000000$' /proc/self/status && "
                "! test -w /proc/sys/kernel/core_pattern");
    ck_assert_msg(!end->infra && end->status == 0, "level %d: status %d\n%s",
                  _i, end->status, end->log.head);
}
END_TEST

/* A daemon's user may be among the numbers that are taken: a submission that
 * ran as Slurm's could end it. */
START_TEST(whoever_it_runs_as_has_no_account)
{
    for (pid_t grader = 1; grader <= 4000; grader++) {
        const uid_t uid = args_user(grader);
        const struct passwd *const p = getpwuid(uid);
        ck_assert_msg(!p, "%s, user %d", p->pw_name, (int)uid);
    }
}
END_TEST

/* A recorder's pipe: who has its end may write to it, and that is all. */
START_TEST(a_pipe_cannot_be_opened_again)
{
    const int level = 1 + _i;
    int ends[2];
    char script[512];
    if (level == 3 && getuid() != 0)
        return;
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(fchmod(ends[0], 0), 0);
    snprintf(script, sizeof script,
             "echo x >&%d || exit 1\n"
             "touch $JOB/x && chmod 600 $JOB/x && exit 2\n"
             "chmod 600 /proc/self/fd/%d && exit 3\n"
             "(exec < /proc/self/fd/%d) && exit 4\n"
             "python3 -c 'import ctypes, errno\n"
             "c = ctypes.CDLL(None, use_errno=True)\n"
             "exit(c.syscall(452, %d, b\"\", 0o600, 0x1000) == 0 or "
             "ctypes.get_errno() != errno.EPERM)'",
             ends[1], ends[1], ends[1], ends[1]);
    const struct sandbox_end *end = run_with(level, 1, script);
    ck_assert_msg(!end->infra && end->status == 0, "level %d: status %d\n%s",
                  level, end->status, end->log.head);
    end = run(level, "touch $JOB/x && chmod 700 $JOB/x"); // as linkers do
    ck_assert_int_eq(end->status, 0);
    close(ends[0]);
    close(ends[1]);
}
END_TEST

START_TEST(nothing_outlives_the_sandbox)
{
    const int level = _i;
    char script[256];
    snprintf(script, sizeof script,
             "setsid sh -c 'sleep 0.5; sleep 1000.%d' > /dev/null 2>&1 &",
             (int)getpid() * 4 + level);
    const struct sandbox_end *const end = run(level, script);
    ck_assert_int_eq(end->infra, 0);
    struct child c = child_run(30, "sleep 1; ps ax | grep -c '[s]leep 1000.%d'",
                               (int)getpid() * 4 + level);
    ck_assert_str_eq(c.out, "0\n");
    child_clear(&c);
}
END_TEST

/* Is there a control group that is named after it? */
static int has_group(pid_t pid)
{
    static const char *const hierarchies[] = {"", "/memory", "/pids"};
    char path[96];
    int found = 0;
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "/sys/fs/cgroup%s/commlab-%d",
                 hierarchies[i], (int)pid);
        found |= access(path, F_OK) == 0;
    }
    return found;
}

/* "/commlab-NUMBER\n" of each group that was there before: a process may be
 * given the number again. */
static char *before;

static void see_groups(void)
{
    struct child c = child_run(
        10,
        "find /sys/fs/cgroup -maxdepth 2 -name 'commlab-*' -printf '/%%f\\n'");
    before = strdup(c.out);
    child_clear(&c);
}

/* It has ended, and so has its group. */
static void check_group(pid_t pid)
{
    char line[32];
    snprintf(line, sizeof line, "/commlab-%d\n", (int)pid);
    ck_assert(strstr(before, line) || !has_group(pid));
}

/* Wait until this process has no children left, for at most so long. */
static int all_are_gone(double sec)
{
    const double end = steady_sec() + sec;
    pid_t it = 0;
    while (it >= 0 && steady_sec() < end)
        if ((it = waitpid(-1, NULL, WNOHANG)) > 0)
            check_group(it);
        else
            usleep(1000);
    return it < 0;
}

START_TEST(nothing_outlives_a_grader_that_is_killed)
{
    enum { KILLS = 150, STEP_USEC = 200 }; // most of them while it starts
    const int level = _i;
    see_groups();
    prctl(PR_SET_CHILD_SUBREAPER, 1); // what is left behind is this process's
    for (int i = 0; i < KILLS; i++) {
        const pid_t grader = fork();
        if (grader == 0) {
            run(level, "setsid sleep 1000 & sleep 1000");
            _exit(0);
        }
        usleep((useconds_t)(i * STEP_USEC));
        kill(grader, SIGKILL);
        ck_assert_msg(all_are_gone(20), "killed after %d us: some are left",
                      i * STEP_USEC);
    }
    free(before);
}
END_TEST

START_TEST(what_a_program_does_is_not_the_machines_fault)
{
    const struct sandbox_end *end = run(2, "echo 'bwrap: I am broken'; exit 1");
    ck_assert_int_eq(end->infra, 0);
    ck_assert_int_eq(end->status, 1);
    end = run(2, "exit 127");
    ck_assert_int_eq(end->infra, 0);
    end = run(2, "kill -9 $$");
    ck_assert_int_eq(end->infra, 0);
    end = run(2, "head -c 100000000 /dev/zero > $JOB/large; sleep 100");
    ck_assert_int_eq(end->infra, 0);
    ck_assert_int_eq(end->flooded, 1);
    ck_assert_double_lt(end->sec, 60);
}
END_TEST

/* A run that only waits; with processes beside it that want all cores. */
static int is_stopped(int busy, const char *sleeps)
{
    static struct sandbox_end end;
    pid_t others[64];
    const struct sandbox s = {
        .level = 0, .tmp = tmp, .limit_sec = 60, .watch = job, .idle_sec = 1};
    const char *const argv[] = {"sleep", sleeps, NULL};
    for (int i = 0; i < busy; i++)
        if ((others[i] = fork()) == 0)
            for (volatile int on = 1; on;)
                ;
    sandbox_run(&s, argv, &end);
    for (int i = 0; i < busy; i++) {
        kill(others[i], SIGKILL);
        waitpid(others[i], NULL, 0);
    }
    return end.timed_out;
}

START_TEST(a_busy_machines_seconds_count_less)
{
    const int busy = 6 * (int)sysconf(_SC_NPROCESSORS_ONLN);
    ck_assert_int_eq(is_stopped(busy < 64 ? busy : 64, "2.5"), 0);
    ck_assert_int_eq(is_stopped(0, "50"), 1);
}
END_TEST

/* A program that computes for so long, with processes beside it that want all
 * cores. */
static const struct sandbox_end *compute(int busy, const char *cpu_sec)
{
    static struct sandbox_end end;
    pid_t others[64];
    char script[128];
    const struct sandbox s = {
        .level = 0, .tmp = tmp, .limit_sec = 20, .watch = job, .idle_sec = 2};
    const char *const argv[] = {"python3", "-c", script, NULL};
    snprintf(script, sizeof script,
             "import time\nwhile time.process_time() < %s: pass", cpu_sec);
    for (int i = 0; i < busy; i++)
        if ((others[i] = fork()) == 0)
            for (volatile int on = 1; on;)
                ;
    sandbox_run(&s, argv, &end);
    for (int i = 0; i < busy; i++) {
        kill(others[i], SIGKILL);
        waitpid(others[i], NULL, 0);
    }
    return &end;
}

/* CPU time of the children that have ended, in seconds. */
static double children_sec(void)
{
    struct rusage u;
    getrusage(RUSAGE_CHILDREN, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/* How long it takes by the clock until a limit is reached depends on what else
 * the machine runs, so the program's own time is compared. */
START_TEST(limits_are_on_the_time_that_a_program_had)
{
    const int busy = 4 * (int)sysconf(_SC_NPROCESSORS_ONLN);
    const struct sandbox_end *end = compute(busy < 64 ? busy : 64, "1");
    ck_assert_msg(!end->timed_out && !end->infra && end->status == 0,
                  "status %d after %g s\n%s", end->status, end->sec,
                  end->log.head);
    ck_assert_double_gt(end->sec, 2); // longer than the limit, by the clock
    const double before_sec = children_sec();
    end = compute(0, "60");
    ck_assert_int_eq(end->timed_out, 1);
    ck_assert_int_eq(end->overlong, 0);
    ck_assert_double_gt(children_sec() - before_sec, 1);
    ck_assert_double_lt(children_sec() - before_sec, 10);
}
END_TEST

/* This process, and what it starts, are stopped: as by a laptop's lid. */
START_TEST(time_in_which_the_grader_was_stopped_does_not_count)
{
    const pid_t grader = fork();
    int status = 0;
    if (grader == 0) {
        const struct sandbox_end *const end = compute(0, "0.5");
        _exit(end->timed_out || end->infra ? 1 : end->status);
    }
    usleep(200000);
    kill(grader, SIGSTOP);
    sleep(4);
    kill(grader, SIGCONT);
    ck_assert_int_eq(waitpid(grader, &status, 0), grader);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%#x", status);
}
END_TEST

/* ---- without root -------------------------------------------------------- */

/* Become an ordinary user, who can make no control group. The limit on the
 * user's processes is for a watchdog that fails. */
static void be_a_user(void)
{
    enum { NOBODY = 65534, MOST = 6000 };
    const char *const own[] = {dir, tmp, job};
    const struct rlimit most = {MOST, MOST};
    setrlimit(RLIMIT_NPROC, &most);
    if (getuid() != 0)
        return;
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(chown(own[i], NOBODY, NOBODY), 0);
    ck_assert_int_eq(setgroups(0, NULL), 0);
    ck_assert_int_eq(setresgid(NOBODY, NOBODY, NOBODY), 0);
    ck_assert_int_eq(setresuid(NOBODY, NOBODY, NOBODY), 0);
    prctl(PR_SET_DUMPABLE, 1);
}

static long threads_here(void)
{
    long n = 0;
    FILE *const f = fopen("/proc/loadavg", "r");
    ck_assert(f && fscanf(f, "%*f %*f %*f %*d/%ld", &n) == 1);
    fclose(f);
    return n;
}

static const char threads[] =
    "python3 -c 'import threading, time\n"
    "while 1: threading.Thread(target=time.sleep, args=(60,)).start()'";

static const struct {
    int level;
    const char *processes, *script;
} bombs[] = {
    {2, "user namespace", threads},
    {2, "user namespace", "python3 -c 'import os\nwhile 1: os.fork()'"},
    {1, "watchdog", threads},
};

START_TEST(a_users_bomb_is_stopped)
{
    const long before = threads_here();
    be_a_user();
    const struct sandbox_end *const end =
        run(bombs[_i].level, bombs[_i].script);
    ck_assert_str_eq(end->processes, bombs[_i].processes);
    ck_assert_str_eq(end->limits, bombs[_i].level == 2
                                      ? "namespace limits and watchdog"
                                      : "watchdog only");
    ck_assert_msg(!end->infra && end->status != 0, "infra %d, status %d\n%s",
                  end->infra, end->status, end->log.head);
    ck_assert_int_eq(end->crowded, strcmp(end->processes, "watchdog") == 0);
    for (int i = 0; i < 1000 && threads_here() >= before + 50; i++)
        usleep(50000);
    ck_assert_int_lt(threads_here(), before + 50); // none is left
}
END_TEST

/* A neighbour that shares the user's process limit starts so many threads that
 * the kernel may refuse the run one. A run that fails is then infra. A run that
 * ends well is not, but its sandbox_end mentions the neighbour. */
START_TEST(a_run_that_fails_beside_a_crowd_is_infra)
{
    enum { CROWD = 2500 };
    char script[256], start[160], why[256];
    const long before = threads_here();
    be_a_user();
    snprintf(script, sizeof script,
             "for i in $(seq 300); do read -r _ _ _ n _ < /proc/loadavg; "
             "[ ${n#*/} -gt %ld ] && break; sleep 0.1; done; sleep 1; exit %d",
             before + CROWD - 100, _i);
    snprintf(start, sizeof start,
             "import threading, time\ntime.sleep(1)\nfor i in range(%d): "
             "threading.Thread(target=time.sleep, args=(20,), "
             "daemon=True).start()\ntime.sleep(20)",
             CROWD);
    const pid_t crowd = fork();
    if (crowd == 0)
        _exit(execlp("python3", "python3", "-c", start, NULL));
    const struct sandbox_end *const end = run(1, script);
    kill(crowd, SIGKILL);
    waitpid(crowd, NULL, 0);
    ck_assert_str_eq(end->processes, "watchdog");
    ck_assert_msg(
        end->infra == _i && !end->crowded && end->beside >= CROWD / 2 &&
            sandbox_was_crowded(end, why, sizeof why) &&
            strstr(_i ? end->log.head : why, "other programs started "),
        "infra %d, crowded %d, beside %ld, status %d\n%s", end->infra,
        end->crowded, end->beside, end->status, end->log.head);
}
END_TEST

/* What takes all that it can get: processes, threads, memory. */
static const char *const hogs[] = {
    "python3 -c 'import os\nwhile 1: os.fork()'",
    threads,
    "python3 -c 'x = []\nwhile 1: x.append(bytearray(16 << 20))'",
};
enum { NHOGS = sizeof hogs / sizeof *hogs };
/* Each hog runs at level 2 beside a neighbour, as an ordinary user and as the
 * user who runs the test; and at level 1, where only the watchdog limits
 * processes. If a hog that starts some was faster there, the neighbour's run is
 * infra. */
enum { NNEIGHBOURS = 3 * NHOGS };

/* A program that starts threads and processes and takes memory, as a lab does,
 * again and again while a hog runs next to it. */
START_TEST(a_neighbour_comes_out_the_same)
{
    static const char neighbour[] =
        "python3 -c 'import os, threading\n"
        "n = 0\n"
        "for i in range(20):\n"
        "  x = bytearray(2 << 20)\n"
        "  t = [threading.Thread(target=len, args=(x,)) for k in range(20)]\n"
        "  for k in t: k.start()\n"
        "  for k in t: k.join()\n"
        "  pid = os.fork()\n"
        "  if pid == 0: os._exit(7)\n"
        "  n += os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])\n"
        "print(\"neighbour\", n)'";
    const char *const takes = hogs[_i % NHOGS];
    const int level = _i < 2 * NHOGS ? 2 : 1;
    const int crowds = level == 1 && _i % NHOGS != NHOGS - 1;
    if (_i >= NHOGS)
        be_a_user();
    const pid_t hog = fork();
    if (hog == 0) {
        const struct sandbox_end *const end = run(level, takes);
        _exit(end->infra ? 2 : end->status == 0);
    }
    const struct sandbox_end *const end = run(level, neighbour);
    int status = 0;
    ck_assert_int_eq(waitpid(hog, &status, 0), hog);
    ck_assert_msg((crowds && end->infra && end->beside > 0) ||
                      (!end->infra && end->status == 0 &&
                       strcmp(end->log.head, "neighbour 140\n") == 0),
                  "%s: infra %d, status %d\n%s", end->limits, end->infra,
                  end->status, end->log.head);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0,
                  "%s: the hog ended with %#x", end->limits, (unsigned)status);
}
END_TEST

/* Files in memory are no process's, so neither of the limits on processes'
 * memory that a user can set would count them. */
START_TEST(files_in_memory_have_a_limit)
{
    if (_i)
        be_a_user();
    const struct sandbox_end *const end =
        run(2, "df -B1 --output=size /dev/shm /tmp | tr -d '\\n' && "
               "! echo x > /dev/new");
    ck_assert_msg(!end->infra && end->status == 0, "infra %d, status %d\n%s",
                  end->infra, end->status, end->log.head);
    ck_assert_msg(strstr(end->log.head, "1073741824") &&
                      strstr(end->log.head, "536870912"),
                  "%s", end->log.head);
}
END_TEST

START_TEST(a_users_memory_is_watched)
{
    be_a_user();
    const struct sandbox_end *end = run(
        _i, "python3 -c 'import time; x = b\"x\" * (1 << 30); time.sleep(60)'");
    ck_assert_msg(!end->infra && end->out_of_memory && end->status != 0,
                  "infra %d, status %d\n%s", end->infra, end->status,
                  end->log.head);
    ck_assert_str_eq(end->memory, "watchdog");
    // of eight processes with 128 MiB in common: once
    end = run(_i, "python3 -c 'import mmap, os, time\n"
                  "m = mmap.mmap(-1, 128 << 20)\n"
                  "for i in range(128): m.write(b\"x\" * (1 << 20))\n"
                  "os.fork(); os.fork(); os.fork()\n"
                  "s = sum(m[::4096]); time.sleep(2)'");
    ck_assert_msg(!end->infra && !end->out_of_memory && end->status == 0,
                  "infra %d, out of memory %d, status %d\n%s", end->infra,
                  end->out_of_memory, end->status, end->log.head);
}
END_TEST

/* In subfolders, before anybody looks, as holes, as names, behind a door. */
static const char *const floods[] = {
    "mkdir -p $JOB/a/b && head -c 20000000 /dev/zero > $JOB/a/b/large",
    "mkdir $JOB/a && truncate -s 1G $JOB/a/holes",
    "mkdir $JOB/a && cd $JOB/a && for i in $(seq 3000); do : > $i; done",
    "mkdir $JOB/a && head -c 20000000 /dev/zero > $JOB/a/x && chmod 0 $JOB/a",
};

START_TEST(a_folder_is_full_as_a_whole)
{
    const struct sandbox_end *const end = run(2, floods[_i]);
    ck_assert_int_eq(end->infra, 0);
    ck_assert_int_eq(end->flooded, 1);
}
END_TEST

/* Files that no folder shows: unlinked and open, never named, only mapped;
 * many small ones. */
static const char *const unnamed[] = {
    "exec 8> $JOB/x && rm $JOB/x && head -c 20000000 /dev/zero >&8 && sleep 50",
    "python3 -c 'import os, time\n"
    "f = os.open(os.environ[\"JOB\"], os.O_TMPFILE | os.O_RDWR)\n"
    "os.ftruncate(f, 20000000); time.sleep(50)'",
    "python3 -c 'import mmap, os, time\n"
    "f = os.open(os.environ[\"JOB\"], os.O_TMPFILE | os.O_RDWR)\n"
    "os.ftruncate(f, 20000000); m = mmap.mmap(f, 0); os.close(f)\n"
    "time.sleep(50)'",
    "python3 -c 'import os, time\n"
    "for i in range(30):\n"
    "  f = os.open(os.environ[\"JOB\"], os.O_TMPFILE | os.O_RDWR)\n"
    "  os.write(f, bytes(1000000))\n"
    "time.sleep(50)'",
};
enum { NUNNAMED = sizeof unnamed / sizeof *unnamed };

START_TEST(files_without_a_name_count)
{
    const struct sandbox_end *const end =
        run(_i / NUNNAMED, unnamed[_i % NUNNAMED]);
    ck_assert_int_eq(end->infra, 0);
    ck_assert_msg(end->flooded, "level %d, %s: status %d after %.1f s\n%s",
                  _i / NUNNAMED, unnamed[_i % NUNNAMED], end->status, end->sec,
                  end->log.head);
}
END_TEST

/* Each process has the same file open, and one that is named is not counted
 * twice. */
START_TEST(a_file_counts_once)
{
    const struct sandbox_end *const end =
        run(2, "exec 8> $JOB/x 9> $JOB/y && rm $JOB/x && "
               "head -c 3000000 /dev/zero >&8 && "
               "head -c 3000000 /dev/zero >&9 && "
               "(sleep 2 & sleep 2 & sleep 2 & wait)");
    ck_assert_int_eq(end->infra, 0);
    ck_assert_int_eq(end->flooded, 0);
    ck_assert_int_eq(end->status, 0);
}
END_TEST

/* Who deletes the work folders of a grader that runs has done no student
 * wrong; who deletes what is in its own has. */
START_TEST(a_folder_that_is_removed_is_the_machines_fault)
{
    // a folder that is gone has no name, or, where it is mounted, no links
    static const char script[] = "echo x > $JOB/x; while stat -c %h $JOB | "
                                 "grep -q '[1-9]'; do sleep 0.1; done; exit 1";
    char path[128];
    snprintf(path, sizeof path, "%s/x", job);
    const pid_t janitor = fork();
    if (janitor == 0) {
        while (access(path, F_OK) != 0)
            usleep(10000);
        folder_remove(job);
        _exit(0);
    }
    const struct sandbox_end *end = run(_i, script);
    waitpid(janitor, NULL, 0);
    ck_assert_msg(end->infra && strstr(end->log.head, "removed from outside"),
                  "level %d: status %d\n%s", _i, end->status, end->log.head);
    ck_assert_int_eq(mkdir(job, 0700), 0);
    end = run(_i, "rm -rf $JOB/* $JOB; exit 1");
    ck_assert_msg(!end->infra && end->status == 1, "level %d: %s", _i,
                  end->log.head);
}
END_TEST

START_TEST(what_the_machine_lacks_is_its_fault)
{
    static struct sandbox_end end;
    const struct sandbox s = {.level = _i, .tmp = tmp, .limit_sec = 60};
    const char *const argv[] = {"no-such-program", NULL};
    if (_i == 3 && getuid() != 0)
        return;
    sandbox_run(&s, argv, &end);
    ck_assert_int_eq(end.infra, 1);
    ck_assert_msg(strstr(end.log.head, "cannot start no-such-program") != NULL,
                  "%s", end.log.head);
}
END_TEST

START_TEST(output_keeps_its_first_and_its_last_part)
{
    const struct sandbox_end *const end =
        run(2, "echo first; head -c 1000000 /dev/zero | tr '\\0' x; echo last");
    ck_assert_int_eq(strncmp(end->log.head, "first\nxxx", 9), 0);
    ck_assert_str_eq(end->log.tail + end->log.ntail - 6, "xlast\n");
    ck_assert_uint_eq(end->log.nhead + end->log.ntail + end->log.dropped,
                      1000000 + 11);
}
END_TEST

START_TEST(a_neighbour_without_memory_is_no_excuse)
{
    const pid_t neighbour = fork();
    if (neighbour == 0) {
        run(2, "python3 -c 'x = b\"x\" * (1 << 30)'");
        _exit(0);
    }
    const struct sandbox_end *const end = run(2, "sleep 2; exit 1");
    waitpid(neighbour, NULL, 0);
    if (strstr(end->missing, "memory")) {
        printf("skipped: this user may not make control groups\n");
        return;
    }
    ck_assert_msg(!end->infra, "%s", end->log.head);
    ck_assert_int_eq(end->status, 1);
}
END_TEST

START_TEST(memory_is_limited_where_groups_are)
{
    const struct sandbox_end *const end =
        run(2, "python3 -c 'x = b\"x\" * (1 << 30)'");
    ck_assert_int_eq(end->infra, 0);
    if (strstr(end->missing, "memory")) {
        printf("skipped: this user may not make control groups\n");
        return;
    }
    ck_assert_int_ne(end->status, 0);
    ck_assert_int_eq(end->out_of_memory, 1);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("sandbox");
    TCase *const t = tcase_create("sandbox");
    tcase_set_timeout(t, 200);
    tcase_add_checked_fixture(t, make_folders, remove_folders);
    tcase_add_loop_test(t, each_level_refuses_what_it_says, 0, 4 * NATTEMPTS);
    tcase_add_test(t, processes_without_end_are_stopped);
    tcase_add_loop_test(t, nobody_is_root_inside, 1, getuid() == 0 ? 4 : 3);
    tcase_add_test(t, whoever_it_runs_as_has_no_account);
    tcase_add_loop_test(t, a_pipe_cannot_be_opened_again, 0, 3);
    tcase_add_loop_test(t, nothing_outlives_the_sandbox, 0, 3);
    tcase_add_loop_test(t, nothing_outlives_a_grader_that_is_killed, 0,
                        getuid() == 0 ? 4 : 3);
    tcase_add_test(t, what_a_program_does_is_not_the_machines_fault);
    tcase_add_loop_test(t, a_folder_is_full_as_a_whole, 0,
                        sizeof floods / sizeof *floods);
    tcase_add_loop_test(t, files_without_a_name_count, 0, 3 * NUNNAMED);
    tcase_add_test(t, a_file_counts_once);
    tcase_add_test(t, a_busy_machines_seconds_count_less);
    tcase_add_test(t, limits_are_on_the_time_that_a_program_had);
    tcase_add_test(t, time_in_which_the_grader_was_stopped_does_not_count);
    tcase_add_loop_test(t, a_folder_that_is_removed_is_the_machines_fault, 1,
                        3);
    tcase_add_loop_test(t, what_the_machine_lacks_is_its_fault, 0, 4);
    tcase_add_test(t, output_keeps_its_first_and_its_last_part);
    tcase_add_test(t, a_neighbour_without_memory_is_no_excuse);
    tcase_add_test(t, memory_is_limited_where_groups_are);
    suite_add_tcase(s, t);
    TCase *const u = tcase_create("user");
    tcase_set_timeout(u, 200);
    tcase_add_checked_fixture(u, make_folders, remove_folders);
    SUITE_LOOP(u, a_users_bomb_is_stopped, bombs);
    tcase_add_loop_test(u, a_run_that_fails_beside_a_crowd_is_infra, 0, 2);
    tcase_add_loop_test(u, a_users_memory_is_watched, 1, 3);
    tcase_add_loop_test(u, a_neighbour_comes_out_the_same, 0, NNEIGHBOURS);
    tcase_add_loop_test(u, files_in_memory_have_a_limit, 0, 2);
    suite_add_tcase(s, u);
    return suite_run(s);
}

#define _GNU_SOURCE
#include "grader/sandbox/sandbox_args.h"

#include <errno.h>       /* ERANGE */
#include <pwd.h>         /* getpwuid_r */
#include <stdio.h>       /* asprintf */
#include <stdlib.h>      /* free */
#include <string.h>      /* strdup */
#include <sys/stat.h>    /* lstat */
#include <sys/utsname.h> /* uname */
#include <unistd.h>      /* readlink */

#include "base/embed.h"
#include "grader/sandbox/groups.h"

static void add(struct args *a, const char *arg)
{
    if (a->n == SANDBOX_MAX_ARGS - 1)
        abort(); // a bug of the grader's: the lists are its own
    a->v[a->n++] = arg;
}

static void add2(struct args *a, const char *x, const char *y)
{
    add(a, x);
    add(a, y);
}

static void add3(struct args *a, const char *x, const char *y, const char *z)
{
    add2(a, x, y);
    add(a, z);
}

static void add_all(struct args *a, const char *const *args)
{
    while (*args)
        add(a, *args++);
}

/* True if the user has an account, or if memory for the lookup is missing. */
static int has_account(uid_t uid)
{
    char text[4096];
    struct passwd entry, *found = NULL;
    return getpwuid_r(uid, &entry, text, sizeof text, &found) == ERANGE ||
           found;
}

uid_t args_user(pid_t grader)
{
    enum { FIRST = 61184, NUSERS = 4000, NSPARE = 336 };
    const uid_t uid = FIRST + (uid_t)grader % NUSERS;
    if (!has_account(uid))
        return uid;
    for (uid_t i = 0; i < NSPARE; i++) { // Debian's slurm is 64030
        const uid_t spare = FIRST + NUSERS + ((uid_t)grader + i) % NSPARE;
        if (!has_account(spare))
            return spare;
    }
    return uid;
}

static const char *own(struct args *a, char *text)
{
    if (!text || a->nowned == SANDBOX_MAX_ARGS)
        abort();
    return a->owned[a->nowned++] = text;
}

static const char *number(struct args *a, int value)
{
    char *text = NULL;
    return own(a, asprintf(&text, "%d", value) < 0 ? NULL : text);
}

static const char *option(struct args *a, const char *name, int value)
{
    char *text = NULL;
    return own(a, asprintf(&text, "%s=%d", name, value) < 0 ? NULL : text);
}

/* Add /bin, /lib ...: links into /usr on a merged system, folders on others. */
static void add_root(struct args *a, const char *path)
{
    struct stat st;
    char target[256];
    if (lstat(path, &st) != 0)
        return;
    if (!S_ISLNK(st.st_mode)) {
        add3(a, "--ro-bind", path, path);
        return;
    }
    const ssize_t n = readlink(path, target, sizeof target - 1);
    target[n > 0 ? n : 0] = 0;
    add3(a, "--symlink", own(a, strdup(target)), path);
}

int gpu_files(glob_t *found)
{
    *found = (glob_t){.gl_pathc = 0};
    if (glob("/dev/nvidia*", 0, NULL, found) != 0)
        return 0;
    return found->gl_pathc < GPU_FILES ? (int)found->gl_pathc : GPU_FILES;
}

/* Add the device files of GPUs, if there are any, and their topology. */
static void add_gpus(struct args *a)
{
    glob_t found;
    const int n = gpu_files(&found);
    for (int i = 0; i < n; i++) {
        const char *const path = own(a, strdup(found.gl_pathv[i]));
        add3(a, "--dev-bind", path, path);
    }
    if (n > 0)
        add3(a, "--ro-bind", "/sys", "/sys"); // NCCL reads the topology there
    globfree(&found);
}

/* True if root runs bubblewrap, which then can read what only root can, and
 * another user runs what is inside. */
static int leaves_root(const struct sandbox *s)
{
    return s->level == 2 && geteuid() == 0;
}

const char *args_limit_processes(const struct sandbox *s)
{
    int major = 0, minor = 0;
    struct utsname u;
    if (s->level != 2 || uname(&u) != 0)
        return NULL;
    if (leaves_root(s))
        return "user";
    sscanf(u.release, "%d.%d", &major, &minor);
    return major > 5 || (major == 5 && minor >= 14) ? "user namespace" : NULL;
}

/* bubblewrap's constant arguments, in their order. The code adds the others
 * between two lists.
 *
 * Root keeps the host's user namespace, so that setpriv can change to another
 * user's number; setpriv then drops these capabilities. */
static const char *const unshare_as_root[] = {
    "--unshare-ipc", "--unshare-pid",        "--unshare-net",
    "--unshare-uts", "--unshare-cgroup-try", NULL};
static const char *const capabilities[] = {
    "--cap-drop", "ALL",       "--cap-add",   "CAP_SETUID", "--cap-add",
    "CAP_SETGID", "--cap-add", "CAP_SETPCAP", NULL};
static const char *const unshare_as_user[] = {"--unshare-all", NULL};
static const char *const detach[] = {"--die-with-parent", "--new-session",
                                     NULL};
static const char *const usr[] = {"--ro-bind", "/usr", "/usr", NULL};
static const char *const roots[] = {"/bin", "/sbin", "/lib", "/lib64", NULL};
/* Open to all: another user has to pass through it. */
static const char *const etc[] = {"--perms", "0755", "--dir", "/etc", NULL};
static const char *const etc_files[] = {
    "/etc/ld.so.cache", "/etc/alternatives",  "/etc/passwd",
    "/etc/hosts",       "/etc/nsswitch.conf", NULL};
static const char *const kernel[] = {"--proc", "/proc", "--dev", "/dev", NULL};
/* A limit on processes' memory does not count files that are in memory, so the
 * rest of /dev takes none. --size comes first: a bubblewrap too old for it
 * names that option. */
static const char *const shared_memory[] = {
    "--size",   "1073741824",   "--perms", "1777", "--tmpfs",
    "/dev/shm", "--remount-ro", "/dev",    NULL};
static const char *const tmp[] = {"--size",  "536870912", "--perms", "1777",
                                  "--tmpfs", "/tmp",      NULL};
static const char *const begin[] = {"--chdir", "/tmp", "--", NULL};
static const char *const drop[] = {"--clear-groups", "--inh-caps=-all",
                                   "--bounding-set=-all", "--", NULL};

static void add_setpriv(struct args *a)
{
    const char *const user = number(a, (int)a->user);
    add(a, "setpriv");
    add2(a, "--reuid", user);
    add2(a, "--regid", user);
    add_all(a, drop);
}

static void add_bubblewrap(struct args *a, const struct sandbox *s, int calls)
{
    const int by_root = leaves_root(s);
    add(a, "bwrap");
    add_all(a, by_root ? unshare_as_root : unshare_as_user);
    if (by_root)
        add_all(a, capabilities);
    add_all(a, detach);
    add2(a, "--seccomp", number(a, calls));
    add_all(a, usr);
    for (int i = 0; roots[i]; i++)
        add_root(a, roots[i]);
    add_all(a, etc);
    for (int i = 0; etc_files[i]; i++)
        add3(a, "--ro-bind-try", etc_files[i], etc_files[i]);
    add_all(a, kernel);
    add_gpus(a);
    add_all(a, shared_memory);
    add_all(a, tmp);
    for (int i = 0; i < s->nbinds; i++)
        add3(a, s->bind[i].writable ? "--bind" : "--ro-bind", s->bind[i].from,
             s->bind[i].to);
    add_all(a, begin);
    if (by_root)
        add_setpriv(a);
    if (args_limit_processes(s)) {
        add(a, "prlimit");
        add(a, option(a, "--nproc", GROUPS_PROCESSES));
        add(a, "--");
    }
}

extern const char sandbox_start[];
EMBED(sandbox_start, "grader/sandbox/sandbox_start.sh");

void args_make(struct args *a, const struct sandbox *s, const char *const *argv,
               int calls)
{
    *a = (struct args){.user = args_user(getpid())};
    if (s->level >= 2)
        add_bubblewrap(a, s, calls);
    add3(a, "/bin/sh", "-c", sandbox_start);
    add2(a, "sh", s->level >= 2 ? "1" : "0");
    add_all(a, argv);
    a->v[a->n] = NULL;
}

void args_release(struct args *a)
{
    for (int i = 0; i < a->nowned; i++)
        free(a->owned[i]);
}

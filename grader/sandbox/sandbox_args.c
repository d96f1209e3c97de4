#define _GNU_SOURCE
#include "sandbox_args.h"

#include <errno.h>    /* ERANGE */
#include <pwd.h>      /* getpwuid_r */
#include <stdio.h>    /* asprintf */
#include <stdlib.h>   /* free */
#include <string.h>   /* strdup */
#include <sys/stat.h> /* lstat */
#include <unistd.h>   /* readlink */

static void add(struct args *a, const char *arg)
{
    if (a->n == SANDBOX_MAX_ARGS - 1)
        abort(); // our own mistake: the lists are ours
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

/* Without memory to look it up, it might have one. */
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

/* /bin, /lib ...: links into /usr on a merged system, folders on others. */
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

/* A GPU's device files, where there are any, and how they are connected. */
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

/* True if bubblewrap is run by root, to reach what only root can, and what is
 * inside by another user. */
static int leaves_root(const struct sandbox *s)
{
    return s->level == 2 && geteuid() == 0;
}

static void add_bubblewrap(struct args *a, const struct sandbox *s, int calls)
{
    static const char *const roots[] = {"/bin", "/sbin", "/lib", "/lib64"};
    static const char *const etc[] = {"/etc/ld.so.cache", "/etc/alternatives",
                                      "/etc/passwd", "/etc/hosts",
                                      "/etc/nsswitch.conf"};
    add(a, "bwrap");
    if (leaves_root(s)) { // in the host's user namespace: another user's number
        static const char *const spaces[] = {"--unshare-ipc", "--unshare-pid",
                                             "--unshare-net", "--unshare-uts",
                                             "--unshare-cgroup-try"};
        for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
            add(a, spaces[i]);
        add2(a, "--cap-drop", "ALL");
        add2(a, "--cap-add", "CAP_SETUID"); // for setpriv, which drops them
        add2(a, "--cap-add", "CAP_SETGID");
        add2(a, "--cap-add", "CAP_SETPCAP");
    } else {
        add(a, "--unshare-all");
    }
    add(a, "--die-with-parent");
    add(a, "--new-session");
    add2(a, "--seccomp", number(a, calls));
    add3(a, "--ro-bind", "/usr", "/usr");
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
        add_root(a, roots[i]);
    add2(a, "--perms", "0755"); // another user is to pass through it
    add2(a, "--dir", "/etc");
    for (size_t i = 0; i < sizeof etc / sizeof *etc; i++)
        add3(a, "--ro-bind-try", etc[i], etc[i]);
    add2(a, "--proc", "/proc");
    add2(a, "--dev", "/dev");
    add_gpus(a);
    if (leaves_root(s)) {
        add2(a, "--size", "1073741824");
        add2(a, "--perms", "1777");
        add2(a, "--tmpfs", "/dev/shm");
    }
    add2(a, "--size", "536870912"); // first: older ones say they lack it
    add2(a, "--perms", "1777");
    add2(a, "--tmpfs", "/tmp");
    for (int i = 0; i < s->nbinds; i++)
        add3(a, s->bind[i].writable ? "--bind" : "--ro-bind", s->bind[i].from,
             s->bind[i].to);
    add2(a, "--chdir", "/tmp");
    add(a, "--");
    if (leaves_root(s)) {
        const char *const user = number(a, (int)a->user);
        add(a, "setpriv");
        add2(a, "--reuid", user);
        add2(a, "--regid", user);
        add(a, "--clear-groups");
        add(a, "--inh-caps=-all");
        add(a, "--bounding-set=-all");
        add(a, "--");
    }
}

void args_make(struct args *a, const struct sandbox *s, const char *const *argv,
               int calls)
{
    // neither the real, the effective nor the saved user is root, and there is
    // no capability: the shell reads that itself, since it begins every run
    static const char unprivileged[] =
        "ok=0; while read -r k a b c d; do case $k$a in "
        "Uid:*) [ $a != 0 ] && [ $b != 0 ] && [ $c != 0 ] && ok=$((ok + 1)) ;; "
        "CapEff:*[!0]*) break ;; CapEff:*) ok=$((ok + 1)); break ;; esac; "
        "done < /proc/self/status; "
        "[ $ok = 2 ] || { echo it would run as root >&2; exit 127; }; ";
    static const char start[] =
        "command -v \"$1\" >/dev/null || { echo \"cannot start $1\" >&2; exit "
        "127; }; printf r >&9 && exec \"$@\" 9>&-";
    *a = (struct args){.user = args_user(getpid())};
    if (s->level >= 2)
        add_bubblewrap(a, s, calls);
    add2(a, "/bin/sh", "-c");
    char *text = NULL; // asks the kernel first
    if (asprintf(&text, "%s%s", s->level >= 2 ? unprivileged : "", start) < 0)
        abort();
    add2(a, own(a, text), "sh");
    while (*argv)
        add(a, *argv++);
    a->v[a->n] = NULL;
}

void args_release(struct args *a)
{
    for (int i = 0; i < a->nowned; i++)
        free(a->owned[i]);
}

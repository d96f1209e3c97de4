#define _GNU_SOURCE
#include "sandbox_args.h"

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

static void add_bubblewrap(struct args *a, const struct sandbox *s, int calls)
{
    static const char *const roots[] = {"/bin", "/sbin", "/lib", "/lib64"};
    static const char *const etc[] = {"/etc/ld.so.cache", "/etc/alternatives",
                                      "/etc/passwd", "/etc/hosts",
                                      "/etc/nsswitch.conf"};
    add(a, "bwrap");
    add(a, "--unshare-all");
    add(a, "--die-with-parent");
    add(a, "--new-session");
    add2(a, "--seccomp", number(a, calls));
    add3(a, "--ro-bind", "/usr", "/usr");
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
        add_root(a, roots[i]);
    for (size_t i = 0; i < sizeof etc / sizeof *etc; i++)
        add3(a, "--ro-bind-try", etc[i], etc[i]);
    add2(a, "--proc", "/proc");
    add2(a, "--dev", "/dev");
    add_gpus(a);
    add2(a, "--size", "536870912");
    add2(a, "--tmpfs", "/tmp");
    for (int i = 0; i < s->nbinds; i++)
        add3(a, s->bind[i].writable ? "--bind" : "--ro-bind", s->bind[i].from,
             s->bind[i].to);
    add2(a, "--chdir", "/tmp");
    add(a, "--");
}

void args_make(struct args *a, const struct sandbox *s, const char *const *argv,
               int calls)
{
    static const char start[] =
        "command -v \"$1\" >/dev/null || { echo \"cannot start $1\" >&2; exit "
        "127; }; printf r >&9 && exec \"$@\" 9>&-";
    *a = (struct args){.n = 0};
    if (s->level >= 2)
        add_bubblewrap(a, s, calls);
    add2(a, "/bin/sh", "-c");
    add2(a, start, "sh");
    while (*argv)
        add(a, *argv++);
    a->v[a->n] = NULL;
}

void args_release(struct args *a)
{
    for (int i = 0; i < a->nowned; i++)
        free(a->owned[i]);
}

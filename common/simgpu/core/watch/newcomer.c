#define _GNU_SOURCE
#include "core/watch/newcomer.h"

#include <dirent.h> /* opendir */
#include <stdio.h>  /* fopen */
#include <stdlib.h> /* atoi */
#include <string.h> /* strncmp */
#include <unistd.h> /* readlinkat */

#include "core/peer.h"
#include "core/proc.h"

enum { GENERATIONS = 16 }; /* scripts, debuggers between mpirun and a rank */

/* Read a process's parent and the name of its program. Returns 0, or -1 if it
 * has ended. */
static int read_process(int pid, int *parent, char name[32])
{
    char path[64], stat[512];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *const f = fopen(path, "re");
    const size_t n = f ? fread(stat, 1, sizeof stat - 1, f) : 0;
    if (f)
        fclose(f);
    stat[n] = 0;
    char *const open = strchr(stat, '('), *const close = strrchr(stat, ')');
    if (!open || !close)
        return -1;
    *close = 0;
    snprintf(name, 32, "%.31s", open + 1);
    return sscanf(close + 1, " %*c %d", parent) == 1 ? 0 : -1;
}

int newcomer_launcher(void)
{
    char name[32];
    int pid = (int)getpid(), parent;
    for (int i = 0; i < GENERATIONS && pid > 1; i++) {
        if (read_process(pid, &parent, name) != 0)
            return 0;
        if (strncmp(name, "hydra_pmi", 9) == 0)
            return pid;
        pid = parent;
    }
    return 0;
}

int newcomer_name(int pid, char name[32])
{
    int parent;
    return read_process(pid, &parent, name);
}

int newcomer_is_rank(void)
{
    const char *const size = getenv("PMI_SIZE");
    return getenv("PMI_RANK") && size && atoi(size) > 1 &&
           !getenv("COMMLAB_JOB");
}

/* True if a process has a control page. */
static int has_page(int pid)
{
    static const char page[] = "/memfd:" CONTROL_MEMFD;
    char path[64], target[64];
    int found = 0;
    snprintf(path, sizeof path, "/proc/%d/fd", pid);
    DIR *const dir = opendir(path);
    for (struct dirent *d; dir && !found && (d = readdir(dir)) != NULL;) {
        const ssize_t n =
            readlinkat(dirfd(dir), d->d_name, target, sizeof target);
        found = n >= (ssize_t)sizeof page - 1 &&
                strncmp(target, page, sizeof page - 1) == 0;
    }
    if (dir)
        closedir(dir);
    return found;
}

int newcomer_any_child(int pid, int (*is)(int child, int depth), int depth)
{
    char path[64];
    int child, found = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", pid, pid);
    FILE *const f = fopen(path, "re");
    while (f && !found && fscanf(f, "%d", &child) == 1)
        found = is(child, depth);
    if (f)
        fclose(f);
    return found;
}

static int has_called(int pid, int depth)
{
    return has_page(pid) || (depth < GENERATIONS &&
                             newcomer_any_child(pid, has_called, depth + 1));
}

static int has_not_called(int pid, int depth)
{
    return !has_called(pid, depth);
}

int newcomer_any(void)
{
    uint32_t known = 0;
    for (const struct peer *p = peer_first(); p; p = p->next)
        known += p->control != control_own();
    const int launcher =
        known + 1 < simgpu_proc()->nranks ? newcomer_launcher() : 0;
    return launcher && newcomer_any_child(launcher, has_not_called, 0);
}

#define _GNU_SOURCE
#include "grader/sandbox/delegated.h"

#include <errno.h>    /* errno */
#include <fcntl.h>    /* open */
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* strtol */
#include <string.h>   /* strstr */
#include <sys/stat.h> /* mkdir */
#include <time.h>     /* nanosleep */
#include <unistd.h>   /* read */

static const char root[] = "/sys/fs/cgroup", rest[] = "/commlab-rest",
                  wanted[] = "+memory +pids";

/* Read a file of a group; "" if it can't be read. */
static void read_file(const char *group, const char *file, char *text,
                      size_t nbytes)
{
    char path[DELEGATED_PATH];
    snprintf(path, sizeof path, "%s/%s", group, file);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, text, nbytes - 1) : 0;
    text[n > 0 ? n : 0] = 0;
    if (fd >= 0)
        close(fd);
}

static int write_file(const char *group, const char *file, const char *text)
{
    char path[DELEGATED_PATH];
    snprintf(path, sizeof path, "%s/%s", group, file);
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    const ssize_t n = write(fd, text, strlen(text));
    close(fd);
    return n == (ssize_t)strlen(text) ? 0 : -1;
}

/* True if a file that lists controllers, separated by spaces, has both. */
static int has_both(const char *group, const char *file)
{
    char text[1024], *saved = NULL;
    int n = 0;
    read_file(group, file, text, sizeof text);
    for (char *word = strtok_r(text, " \n", &saved); word;
         word = strtok_r(NULL, " \n", &saved))
        n += strcmp(word, "memory") == 0 || strcmp(word, "pids") == 0;
    return n == 2;
}

/* True if this process may make groups here, and enter them. */
static int is_ours(const char *group)
{
    char path[DELEGATED_PATH];
    snprintf(path, sizeof path, "%s/cgroup.procs", group);
    return access(group, W_OK) == 0 && access(path, W_OK) == 0;
}

/* Move a group's processes to another group. */
static void move_all(const char *from, const char *to)
{
    char text[65536], pid[32], *end;
    read_file(from, "cgroup.procs", text, sizeof text);
    for (char *p = text; *p; p = end + (*end == '\n')) {
        const long member = strtol(p, &end, 10);
        if (end == p || *end != '\n') // cut off
            break;
        snprintf(pid, sizeof pid, "%ld\n", member);
        write_file(to, "cgroup.procs", pid);
    }
}

/*
 * Let a group pass both controllers on to groups below it, after its processes
 * have moved. Processes may be started meanwhile, so try again for some time.
 */
static int pass_on(const char *group)
{
    enum { TRIES = 50 };
    const struct timespec pause = {0, 2000000};
    char below[DELEGATED_PATH + sizeof rest];
    snprintf(below, sizeof below, "%s%s", group, rest);
    if (mkdir(below, 0755) != 0 && errno != EEXIST)
        return -1;
    for (int i = 0; i < TRIES; i++) {
        move_all(group, below);
        if (write_file(group, "cgroup.subtree_control", wanted) == 0)
            return 0;
        nanosleep(&pause, NULL);
    }
    move_all(below, group);
    rmdir(below);
    return -1;
}

/* Write this process's own group to path. Returns -1 if it is unknown. */
static int find_own(char *path, size_t nbytes)
{
    char text[8192];
    read_file("/proc/self", "cgroup", text, sizeof text);
    const char *line = strncmp(text, "0::/", 4) == 0 ? text + 3 : NULL;
    if (!line && (line = strstr(text, "\n0::/")) != NULL)
        line += 4;
    if (!line)
        return -1;
    const size_t n = strcspn(line, "\n");
    if (snprintf(path, nbytes, "%s%.*s", root, n > 1 ? (int)n : 0, line) >=
        (int)nbytes)
        return -1;
    const size_t length = strlen(path), own = sizeof rest - 1;
    if (length > own && strcmp(path + length - own, rest) == 0)
        path[length - own] = 0; // an earlier grading moved it there
    return 0;
}

int delegated_find(char *path, size_t nbytes)
{
    snprintf(path, nbytes, "%s", root);
    if (is_ours(root) &&
        (has_both(root, "cgroup.subtree_control") ||
         write_file(root, "cgroup.subtree_control", wanted) == 0))
        return 0;
    if (find_own(path, nbytes) != 0)
        return -1;
    if (is_ours(path) && !has_both(path, "cgroup.subtree_control") &&
        has_both(path, "cgroup.controllers") && pass_on(path) == 0)
        return 0;
    while (!(is_ours(path) && has_both(path, "cgroup.subtree_control"))) {
        if (strlen(path) <= strlen(root))
            return -1;
        *strrchr(path, '/') = 0;
    }
    return 0;
}

#define _GNU_SOURCE
#include "grader/sandbox/unnamed.h"

#include <dirent.h>        /* opendir */
#include <stdio.h>         /* fopen */
#include <stdlib.h>        /* realloc */
#include <string.h>        /* strstr */
#include <sys/stat.h>      /* fstatat */
#include <sys/sysmacros.h> /* makedev */
#include <unistd.h>        /* getpid */

struct seen {
    dev_t device;
    struct file {
        unsigned long inode;
        long long nbytes;
    } * file;
    int n, room;
};

static void see(struct seen *s, unsigned long inode, long long nbytes)
{
    int i = 0;
    while (i < s->n && s->file[i].inode != inode)
        i++;
    if (i == s->room) {
        s->room = s->room ? 2 * s->room : 64;
        s->file = realloc(s->file, (size_t)s->room * sizeof *s->file);
        if (!s->file)
            abort();
    }
    if (i == s->n)
        s->file[s->n++] = (struct file){.inode = inode};
    if (s->file[i].nbytes < nbytes)
        s->file[i].nbytes = nbytes;
}

static void see_open(struct seen *s, long pid)
{
    char path[64];
    struct stat st;
    snprintf(path, sizeof path, "/proc/%ld/fd", pid);
    DIR *const dir = opendir(path);
    for (struct dirent *d; dir && (d = readdir(dir)) != NULL;) {
        if (fstatat(dirfd(dir), d->d_name, &st, 0) != 0 ||
            !S_ISREG(st.st_mode) || st.st_nlink != 0 || st.st_dev != s->device)
            continue;
        const long long held = (long long)st.st_blocks * 512;
        see(s, st.st_ino, held > st.st_size ? held : st.st_size);
    }
    if (dir)
        closedir(dir);
}

static void see_mapped(struct seen *s, long pid)
{
    char path[64], *line = NULL;
    size_t room = 0;
    snprintf(path, sizeof path, "/proc/%ld/maps", pid);
    FILE *const f = fopen(path, "re");
    while (f && getline(&line, &room, f) > 0) {
        unsigned long begin, end, offset, inode;
        unsigned int major, minor;
        if (strstr(line, " (deleted)\n") &&
            sscanf(line, "%lx-%lx %*s %lx %x:%x %lu", &begin, &end, &offset,
                   &major, &minor, &inode) == 6 &&
            makedev(major, minor) == s->device)
            see(s, inode, (long long)(offset + (end - begin)));
    }
    free(line);
    if (f)
        fclose(f);
}

/* Visit the children of all threads, since any of them can have started one. */
static void see_children(struct seen *s, long pid)
{
    char path[64];
    long child;
    snprintf(path, sizeof path, "/proc/%ld/task", pid);
    DIR *const dir = opendir(path);
    for (struct dirent *d; dir && (d = readdir(dir)) != NULL;) {
        snprintf(path, sizeof path, "/proc/%ld/task/%.16s/children", pid,
                 d->d_name);
        FILE *const f = d->d_name[0] == '.' ? NULL : fopen(path, "re");
        while (f && fscanf(f, "%ld", &child) == 1) {
            see_open(s, child);
            see_mapped(s, child);
            see_children(s, child);
        }
        if (f)
            fclose(f);
    }
    if (dir)
        closedir(dir);
}

long long unnamed_nbytes(const char *folder)
{
    struct seen s = {.n = 0};
    struct stat st;
    long long total = 0;
    if (stat(folder, &st) != 0)
        return 0;
    s.device = st.st_dev;
    see_children(&s, getpid());
    for (int i = 0; i < s.n; i++)
        total += s.file[i].nbytes;
    free(s.file);
    return total;
}

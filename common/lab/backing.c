#define _GNU_SOURCE
#include "lab/backing.h"

#include <dirent.h>        /* opendir */
#include <inttypes.h>      /* SCNxPTR */
#include <stdio.h>         /* fgets */
#include <stdlib.h>        /* getenv */
#include <string.h>        /* strcmp */
#include <sys/stat.h>      /* fstat */
#include <sys/sysmacros.h> /* makedev */

#include "base/size.h"

struct mapping {
    uintptr_t begin, end;
    uint64_t offset;
    dev_t dev;
    ino_t inode;
};

/* Find the mapping of anonymous shared memory that contains p.
 * Returns 0 or -1. */
static int find_mapping(uintptr_t p, struct mapping *m)
{
    char line[4200];
    int found = -1;
    FILE *const f = fopen("/proc/self/maps", "re");
    while (f && found != 0 && fgets(line, sizeof line, f)) {
        unsigned major, minor;
        unsigned long inode;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*s %" SCNx64 " %x:%x %lu",
                   &m->begin, &m->end, &m->offset, &major, &minor, &inode) != 6)
            continue;
        m->dev = makedev(major, minor);
        m->inode = inode;
        if (p >= m->begin && p < m->end && strstr(line, "/memfd:"))
            found = 0;
    }
    if (f)
        fclose(f);
    return found;
}

/* The descriptor on which the mapped file is open; -1 if it isn't open. */
static int find_open(const struct mapping *m)
{
    int found = -1;
    DIR *const d = opendir("/proc/self/fd");
    for (const struct dirent *e; d && found < 0 && (e = readdir(d)) != NULL;) {
        const int fd = atoi(e->d_name);
        struct stat s;
        if (e->d_name[0] != '.' && fstat(fd, &s) == 0 && s.st_dev == m->dev &&
            s.st_ino == m->inode)
            found = fd;
    }
    if (d)
        closedir(d);
    return found;
}

/*
 * The mapping and its file are kept from call to call: most buffers lie in the
 * same mapping as the one before, and a search through a process's mappings and
 * files takes longer than filling most buffers. Device memory stays mapped at
 * its address, and its file stays open.
 */
int backing_of(const void *p, uint64_t *offset)
{
    static struct mapping m;
    static int file = -1;
    const uintptr_t at = (uintptr_t)p;
    if (file < 0 || at < m.begin || at >= m.end)
        file = find_mapping(at, &m) == 0 ? find_open(&m) : -1;
    *offset = m.offset + (at - m.begin);
    return file;
}

int backing_is_empty(size_t nbytes)
{
    const char *const text = getenv("SIMGPU_DATALESS");
    uint64_t least;
    if (!text || strcmp(text, "off") == 0)
        return 0;
    return strcmp(text, "on") == 0 ||
           (size_parse(text, &least) == 0 && nbytes >= least);
}

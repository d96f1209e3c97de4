#include "unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* malloc */
#include <string.h>   /* strcmp */
#include <sys/stat.h> /* S_IFREG */

enum { MAX_ENTRIES = 10000, MAX_DEPTH = 4, MAX_TOTAL = 64 << 20 };

struct taker {
    struct archive *a;
    struct unpack_file *file;
    int nfiles;
    size_t max_nbytes, total; /* bytes read so far */
    char *why;
    size_t why_nbytes;
};

static int refuse(struct taker *t, const char *what)
{
    snprintf(t->why, t->why_nbytes, "%s", what);
    return -1;
}

/*
 * How many folders are above the last part of a path, which *last is set to. -1
 * for a path that leaves the folder it is unpacked in.
 */
static int depth_of(const char *path, const char **last)
{
    int depth = 0;
    if (*path == '/')
        return -1;
    for (*last = path;; path++) {
        const size_t n = strcspn(path, "/\\");
        if (n == 2 && strncmp(path, "..", 2) == 0)
            return -1;
        path += n;
        if (!path[0])
            return depth;
        depth += n > 0 && !(n == 1 && path[-1] == '.');
        if (path[1])
            *last = path + 1;
    }
}

static struct unpack_file *find(const struct taker *t, const char *name)
{
    for (int i = 0; i < t->nfiles; i++)
        if (strcmp(t->file[i].name, name) == 0)
            return &t->file[i];
    return NULL;
}

/* Read the entry's bytes; whatever its header says of their number. */
static int take_data(struct taker *t, struct unpack_file *f)
{
    f->data = malloc(t->max_nbytes + 1);
    if (!f->data)
        return refuse(t, "no memory");
    for (;;) {
        const la_ssize_t n = archive_read_data(t->a, f->data + f->nbytes,
                                               t->max_nbytes + 1 - f->nbytes);
        if (n < 0)
            return refuse(t, "the archive is damaged");
        if (n == 0)
            break;
        f->nbytes += (size_t)n;
        t->total += (size_t)n;
        if (f->nbytes > t->max_nbytes)
            break;
    }
    f->state = f->nbytes > t->max_nbytes ? UNPACK_LARGE : UNPACK_FILE;
    return 0;
}

static int take_entry(struct taker *t, struct archive_entry *e)
{
    const char *const path = archive_entry_pathname(e), *last;
    const int depth = path ? depth_of(path, &last) : -1;
    if (depth < 0)
        return refuse(t, "the archive has a path that leads out of it");
    struct unpack_file *const f = find(t, last);
    if (!f || depth > MAX_DEPTH)
        return 0;
    if (f->state != UNPACK_MISSING && f->depth <= depth) {
        if (f->depth == depth)
            f->state = UNPACK_TWICE;
        return 0;
    }
    free(f->data);
    *f = (struct unpack_file){.name = f->name, .depth = depth};
    if (archive_entry_symlink(e) || archive_entry_hardlink(e))
        f->state = UNPACK_LINK;
    else if (archive_entry_filetype(e) != S_IFREG)
        f->state = UNPACK_SPECIAL;
    else
        return take_data(t, f);
    return 0;
}

/* Skipping an entry unpacks it too: what that comes to is capped by the bytes
 * that its header says, which libarchive holds it to. */
static int skip(struct taker *t, struct archive_entry *e)
{
    const la_int64_t size =
        archive_entry_size_is_set(e) ? archive_entry_size(e) : 0;
    if (size < 0 || size > MAX_TOTAL)
        return refuse(t, "the archive unpacks to more than 64 MiB");
    t->total += (size_t)size;
    return 0;
}

static int take_all(struct taker *t)
{
    struct archive_entry *e;
    for (int n = 0;; n++) {
        const int r = archive_read_next_header(t->a, &e);
        if (r == ARCHIVE_EOF)
            return 0;
        if (r < ARCHIVE_WARN)
            return refuse(t, n ? "the archive is damaged"
                               : "it is neither a folder nor an archive (tar, "
                                 "tar.gz, zip)");
        if (n == MAX_ENTRIES)
            return refuse(t, "the archive has more than 10000 entries");
        if (take_entry(t, e) != 0 || skip(t, e) != 0)
            return -1;
        if (t->total > MAX_TOTAL)
            return refuse(t, "the archive unpacks to more than 64 MiB");
    }
}

int unpack_files(const void *bytes, size_t nbytes, struct unpack_file *file,
                 int nfiles, size_t max_nbytes, char *why, size_t why_nbytes)
{
    struct taker t = {archive_read_new(), file, nfiles, max_nbytes, 0, why,
                      why_nbytes};
    if (!t.a)
        return refuse(&t, "no memory");
    archive_read_support_format_tar(t.a);
    archive_read_support_format_zip(t.a);
    archive_read_support_filter_gzip(t.a);
    archive_read_support_filter_bzip2(t.a);
    archive_read_support_filter_xz(t.a);
    archive_read_support_filter_zstd(t.a);
    const int err =
        archive_read_open_memory(t.a, bytes, nbytes) == ARCHIVE_OK
            ? take_all(&t)
            : refuse(&t, "it is neither a folder nor an archive (tar, tar.gz, "
                         "zip)");
    archive_read_free(t.a);
    return err;
}

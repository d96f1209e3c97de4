#define _GNU_SOURCE
#include "grader/intake/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <ctype.h>    /* isspace */
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* malloc */
#include <string.h>   /* strcmp */
#include <strings.h>  /* strcasecmp */
#include <sys/stat.h> /* S_IFREG */

#include "grader/base/text.h"

enum {
    MAX_ENTRIES = 10000,
    MAX_DEPTH = 6,
    MAX_NESTED = 3, /* archives within archives */
    MAX_TOTAL = 64 << 20,
    MOST_NAMES = 64, /* wanted files that may be there under other names */
};

struct taker {
    struct archive *a; /* the innermost open archive */
    const char *bytes; /* bytes of that archive */
    size_t nbytes;
    struct unpack_file *file;
    int nfiles;
    int depth, nested, nentries;
    int refused; /* not because of damage: the outer archive is refused, too */
    size_t max_nbytes, total; /* total: bytes read so far */
    int64_t newest;           /* time of the newest regular file */
    char *why;
    size_t why_nbytes;
};

static int damaged(struct taker *t, const char *what)
{
    snprintf(t->why, t->why_nbytes, "%s", what);
    return -1;
}

/* Note an archive that is of an unknown kind or incomplete, and
 * was not opened. */
static int not_opened(struct taker *t)
{
    static const struct {
        const char *begin, *says;
    } kinds[] = {
        {"7z\xBC\xAF\x27\x1C",
         "it is a 7z archive; tar, tar.gz or zip would do"},
        {"Rar!\x1A\x07", "it is a RAR archive; tar, tar.gz or zip would do"},
        {"%PDF-", "it is a PDF document, not an archive (tar, tar.gz, zip)"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (t->nbytes >= strlen(kinds[i].begin) &&
            memcmp(t->bytes, kinds[i].begin, strlen(kinds[i].begin)) == 0)
            return damaged(t, kinds[i].says);
    return damaged(t, t->nbytes ? "it is neither a folder nor an archive (tar, "
                                  "tar.gz, zip)"
                                : "it is an empty file");
}

static int refuse(struct taker *t, const char *what)
{
    t->refused = 1;
    return damaged(t, what);
}

int unpack_is_archive(const char *name)
{
    static const char *const ends[] = {
        ".zip", ".tar", ".tgz", ".tar.gz", ".tar.bz2", ".tar.xz",
        // kinds that are recognised but not opened
        ".tar.zst", ".txz", ".tbz2", ".7z", ".rar"};
    const size_t n = strlen(name);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t m = strlen(ends[i]);
        if (n > m && strcasecmp(name + n - m, ends[i]) == 0)
            return 1;
    }
    return 0;
}

/*
 * The number of folders above the last part of a path, to which *last is set.
 * -1 for a path that leaves the folder in which it is unpacked.
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
        *last = path + 1;
    }
}

static struct unpack_file *find(const struct taker *t, const char *name)
{
    for (int i = 0; i < t->nfiles; i++)
        if (strcasecmp(t->file[i].name, name) == 0)
            return &t->file[i];
    return NULL;
}

/* Note a file that may be one of the missing ones. */
static void note_misnamed(const struct taker *t, const char *name)
{
    const char *wanted[MOST_NAMES];
    int n = 0;
    while (n < t->nfiles && n < MOST_NAMES) {
        wanted[n] = t->file[n].name;
        n++;
    }
    const int i = misnamed_find(name, wanted, n);
    if (i >= 0 && t->file[i].state == UNPACK_MISSING && !t->file[i].misnamed[0])
        strcpy(t->file[i].misnamed, name);
}

/* Read the entry's bytes, regardless of the size in its header. */
static int take_data(struct taker *t, struct unpack_file *f)
{
    f->data = malloc(t->max_nbytes + 1);
    if (!f->data)
        return refuse(t, "no memory");
    for (;;) {
        const la_ssize_t n = archive_read_data(t->a, f->data + f->nbytes,
                                               t->max_nbytes + 1 - f->nbytes);
        if (n < 0)
            return damaged(t, "the archive is damaged");
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

static int take_archive(struct taker *t, const void *bytes, size_t nbytes);

/* Prefix t->why with the name of the archive that it is about. */
static void prefix_name(struct taker *t, const char *name)
{
    char *const clean = text_clean(name, TEXT_NAME), *both;
    if (asprintf(&both, "%s: %s", clean, t->why) < 0)
        abort();
    snprintf(t->why, t->why_nbytes, "%s", both);
    free(both);
    free(clean);
}

/* Read an archive within the archive. A damaged one is no worse than a file
 * that was not asked for, and t->why names it. */
static int take_nested(struct taker *t, const char *name, int depth)
{
    struct unpack_file inner = {.name = ""};
    const size_t most = t->max_nbytes;
    struct archive *const outer = t->a;
    const int above = t->depth;
    t->max_nbytes = MAX_TOTAL / 2;
    int err = take_data(t, &inner);
    t->max_nbytes = most;
    if (err == 0 && inner.state == UNPACK_FILE) {
        t->depth = depth + 1;
        t->nested++;
        if (take_archive(t, inner.data, inner.nbytes) != 0) {
            err = t->refused ? -1 : 0;
            prefix_name(t, name);
        }
        t->nested--;
        t->depth = above;
        t->a = outer;
    }
    free(inner.data);
    return err;
}

/* True if a file at this depth is a better match than f. */
static int is_better(const struct unpack_file *f, int depth, int wrong_case)
{
    if (f->state == UNPACK_MISSING)
        return 1;
    if (f->wrong_case != wrong_case)
        return f->wrong_case;
    return depth < f->depth;
}

static int take_file(struct taker *t, struct archive_entry *e,
                     struct unpack_file *f, const char *name, int depth)
{
    const int wrong_case = strcmp(f->name, name) != 0;
    if (!is_better(f, depth, wrong_case)) {
        if (f->depth == depth && f->wrong_case == wrong_case)
            f->state = UNPACK_TWICE;
        return 0;
    }
    free(f->data);
    *f = (struct unpack_file){
        .name = f->name,
        .depth = depth,
        .wrong_case = wrong_case,
        .modified = archive_entry_mtime_is_set(e) ? archive_entry_mtime(e) : 0};
    if (archive_entry_symlink(e) || archive_entry_hardlink(e))
        f->state = UNPACK_LINK;
    else if (archive_entry_filetype(e) != S_IFREG)
        f->state = UNPACK_SPECIAL;
    else
        return take_data(t, f);
    return 0;
}

static int take_entry(struct taker *t, struct archive_entry *e)
{
    const char *const path = archive_entry_pathname(e), *last;
    const int below = path ? depth_of(path, &last) : -1;
    if (below < 0)
        return refuse(t, "the archive has a path that leads out of it");
    const int depth = t->depth + below;
    if (depth > MAX_DEPTH)
        return 0;
    if (archive_entry_is_encrypted(e))
        return damaged(t, "the archive needs a password");
    const int is_regular =
        archive_entry_filetype(e) == S_IFREG && !archive_entry_hardlink(e);
    if (is_regular && archive_entry_mtime_is_set(e) &&
        archive_entry_mtime(e) > t->newest)
        t->newest = archive_entry_mtime(e);
    struct unpack_file *const f = find(t, last);
    if (f)
        return take_file(t, e, f, last, depth);
    if (is_regular && t->nested < MAX_NESTED && unpack_is_archive(last) &&
        strncmp(last, "._", 2) != 0)
        return take_nested(t, last, depth);
    if (is_regular)
        note_misnamed(t, last);
    return 0;
}

/* Skip an entry. Skipping unpacks it, too, so the bytes that its header
 * announces, which libarchive enforces, count towards the limit. */
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
            return n ? damaged(t, "the archive is damaged") : not_opened(t);
        if (t->nentries++ == MAX_ENTRIES)
            return refuse(t, "the archive has more than 10000 entries");
        if (take_entry(t, e) != 0 || skip(t, e) != 0)
            return -1;
        if (t->total > MAX_TOTAL)
            return refuse(t, "the archive unpacks to more than 64 MiB");
    }
}

/* Read an archive. Closes t->a. */
static int take_archive(struct taker *t, const void *bytes, size_t nbytes)
{
    t->bytes = bytes;
    t->nbytes = nbytes;
    t->a = archive_read_new();
    if (!t->a)
        return refuse(t, "no memory");
    archive_read_support_format_tar(t->a);
    archive_read_support_format_zip(t->a);
    archive_read_support_filter_gzip(t->a);
    archive_read_support_filter_bzip2(t->a);
    archive_read_support_filter_xz(t->a);
    archive_read_support_filter_zstd(t->a);
    struct archive *const own = t->a;
    const int err = archive_read_open_memory(own, bytes, nbytes) == ARCHIVE_OK
                        ? take_all(t)
                        : not_opened(t);
    archive_read_free(own);
    return err;
}

int unpack_files(const void *bytes, size_t nbytes, struct unpack_file *file,
                 int nfiles, size_t max_nbytes, char *why, size_t why_nbytes)
{
    why[0] = 0;
    struct taker t = {.file = file,
                      .nfiles = nfiles,
                      .max_nbytes = max_nbytes,
                      .newest = UNPACK_NEVER,
                      .why = why,
                      .why_nbytes = why_nbytes};
    return take_archive(&t, bytes, nbytes);
}

int unpack_is_empty(const struct unpack_file *f)
{
    size_t n = 0;
    while (n < f->nbytes && isspace((unsigned char)f->data[n]))
        n++;
    return f->state == UNPACK_FILE && n == f->nbytes;
}

int64_t unpack_newest(const void *bytes, size_t nbytes,
                      const char *const *names, int nnames)
{
    char why[128];
    int64_t newest = UNPACK_NEVER;
    struct unpack_file *const file = calloc((size_t)nnames + 1, sizeof *file);
    if (!file)
        abort();
    for (int i = 0; i < nnames; i++)
        file[i].name = names[i];
    struct taker t = {.file = file,
                      .nfiles = nnames,
                      .max_nbytes = MAX_TOTAL / 2,
                      .newest = UNPACK_NEVER,
                      .why = why,
                      .why_nbytes = sizeof why};
    // if the archive is damaged, this reads the part before the damage
    take_archive(&t, bytes, nbytes);
    for (int i = 0; i < nnames; i++) {
        if (file[i].data && file[i].modified > newest && file[i].modified > 0)
            newest = file[i].modified;
        free(file[i].data);
    }
    free(file);
    return newest == UNPACK_NEVER ? t.newest : newest;
}

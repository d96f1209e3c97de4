#define _GNU_SOURCE
#include "submission.h"

#include <dirent.h>   /* scandir */
#include <errno.h>    /* errno */
#include <fcntl.h>    /* openat */
#include <limits.h>   /* PATH_MAX */
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* calloc */
#include <string.h>   /* strcmp */
#include <sys/stat.h> /* fstatat */
#include <unistd.h>   /* read */

#include "text.h"

/* ---- finding ------------------------------------------------------------- */

/* "ada@2.tar.gz" -> ada, 2. The longest student's name that fits counts, since
 * names may hold points and @ themselves. */
static const struct student *whose(const char *name, const struct roster *r,
                                   int *attempt)
{
    char key[256];
    if (strlen(name) >= sizeof key)
        return NULL;
    strcpy(key, name);
    for (size_t n = strlen(key); n > 0; n--) {
        if (name[n] && !strchr(".@", name[n]))
            continue;
        key[n] = 0;
        const struct student *const own = roster_find(r, key);
        const struct student *const s = own ? own : roster_find_group(r, key);
        char *end = (char *)name + n;
        *attempt = *end == '@' ? (int)strtol(end + 1, &end, 10) : 1;
        if (s && *attempt >= 1 && *attempt < 10000 && (!*end || *end == '.'))
            return s;
    }
    return NULL;
}

/* When the newest of the plan's files was written; else the thing itself. */
static int64_t modified(const char *path, const struct plan *p)
{
    char file[PATH_MAX + 300];
    struct stat st;
    int64_t newest = ROSTER_NEVER;
    for (int i = 0; i < p->nfiles; i++) {
        snprintf(file, sizeof file, "%s/%s", path, p->file[i]);
        if (lstat(file, &st) == 0 && st.st_mtim.tv_sec > newest)
            newest = st.st_mtim.tv_sec;
    }
    if (newest == ROSTER_NEVER && lstat(path, &st) == 0)
        newest = st.st_mtim.tv_sec;
    return newest;
}

static void unknown(struct submissions *s, const char *name)
{
    if (s->nunknown++ == 0) {
        char *const clean = text_clean(name, TEXT_NAME);
        snprintf(s->unknown, sizeof s->unknown, "%s", clean);
        free(clean);
    }
}

/* The first two that would be the same attempt of a student, or of a group. */
static int find_same(const struct submissions *s, int *a, int *b)
{
    for (*a = 0; *a < s->n; ++*a)
        for (*b = *a + 1; *b < s->n; ++*b)
            if (s->s[*a].attempt == s->s[*b].attempt &&
                roster_together(s->s[*a].student, s->s[*b].student))
                return 1;
    return 0;
}

static int by_student(const void *x, const void *y)
{
    const struct submission *const a = x, *const b = y;
    const int order = strcmp(a->student->key, b->student->key);
    return order ? order
                 : (a->attempt > b->attempt) - (a->attempt < b->attempt);
}

static int is_visible(const struct dirent *d)
{
    return d->d_name[0] != '.';
}

struct submissions *submissions_find(const char *dir, const struct roster *r,
                                     const struct plan *p, char *err,
                                     size_t err_nbytes)
{
    struct dirent **entry = NULL;
    const int n = scandir(dir, &entry, is_visible, alphasort);
    if (n < 0) {
        snprintf(err, err_nbytes, "%s: %s", dir, strerror(errno));
        return NULL;
    }
    struct submissions *s = calloc(1, sizeof *s);
    if (!s || !(s->s = calloc((size_t)n + 1, sizeof *s->s)))
        abort();
    for (int i = 0; i < n; i++) {
        struct submission *const new = &s->s[s->n];
        new->student = whose(entry[i]->d_name, r, &new->attempt);
        if (!new->student)
            unknown(s, entry[i]->d_name);
        else if (asprintf(&new->path, "%s/%s", dir, entry[i]->d_name) < 0)
            abort();
        else
            s->s[s->n++].modified = modified(new->path, p);
        free(entry[i]);
    }
    free(entry);
    qsort(s->s, (size_t)s->n, sizeof *s->s, by_student);
    int a, b;
    if (find_same(s, &a, &b)) {
        snprintf(err, err_nbytes,
                 "%s and %s are the same attempt: end later ones in @2, @3",
                 s->s[a].path, s->s[b].path);
        submissions_free(s);
        return NULL;
    }
    return s;
}

void submissions_free(struct submissions *s)
{
    for (int i = 0; s && i < s->n; i++)
        free(s->s[i].path);
    if (s)
        free(s->s);
    free(s);
}

/* ---- a folder as a tar --------------------------------------------------- */

/* A tar's header block (POSIX ustar). Numbers are octal text. */
struct header {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type;
    char link[100], magic[6], version[2], user[32], group[32], major[8],
        minor[8], prefix[155], rest[12];
};
_Static_assert(sizeof(struct header) == 512, "a tar's block");

static void put_header(FILE *out, const char *name, char type, size_t nbytes)
{
    struct header h = {.mode = "0000644",
                       .uid = "0000000",
                       .gid = "0000000",
                       .mtime = "00000000000",
                       .type = type,
                       .magic = "ustar",
                       .version = {'0', '0'}};
    unsigned sum = 0;
    snprintf(h.name, sizeof h.name, "%s", name);
    snprintf(h.size, sizeof h.size, "%011o", (unsigned)nbytes);
    memset(h.sum, ' ', sizeof h.sum);
    if (type == '2')
        strcpy(h.link, "elsewhere"); // where to says nothing about the student
    for (size_t i = 0; i < sizeof h; i++)
        sum += ((const unsigned char *)&h)[i];
    snprintf(h.sum, sizeof h.sum, "%06o", sum);
    fwrite(&h, sizeof h, 1, out);
}

/* A regular file's first bytes, in blocks: one byte more than allowed shows
 * that it is too large. */
static int put_file(FILE *out, int dir, const char *name)
{
    enum { BLOCK = sizeof(struct header) };
    char *const data = calloc(SUBMISSION_MAX_FILE + 1 + BLOCK, 1);
    size_t nbytes = 0;
    ssize_t n = -1;
    const int fd =
        openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    while (data && fd >= 0 && nbytes <= SUBMISSION_MAX_FILE &&
           (n = read(fd, data + nbytes, SUBMISSION_MAX_FILE + 1 - nbytes)) > 0)
        nbytes += (size_t)n;
    const int why = errno;
    if (n >= 0) {
        put_header(out, name, '0', nbytes);
        fwrite(data, 1, (nbytes + BLOCK - 1) / BLOCK * BLOCK, out);
    }
    if (fd >= 0)
        close(fd);
    free(data);
    errno = why;
    return n >= 0 ? 0 : -1;
}

static void *read_folder(int dir, const struct plan *p, size_t *nbytes)
{
    char *data = NULL;
    struct stat st;
    int err = 0;
    FILE *const out = open_memstream(&data, nbytes);
    if (!out)
        abort();
    for (int i = 0; i < p->nfiles && !err; i++) {
        const char *const name = p->file[i];
        if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            err = errno == ENOENT ? 0 : -1; // missing: not in the tar either
        else if (S_ISREG(st.st_mode))
            err = put_file(out, dir, name);
        else
            put_header(out, name, S_ISLNK(st.st_mode) ? '2' : '6', 0);
    }
    const int why = errno;
    static const char end[1024];
    fwrite(end, sizeof end, 1, out);
    fclose(out);
    if (err) {
        free(data);
        errno = why;
        return NULL;
    }
    return data;
}

static void *read_archive(int fd, size_t *nbytes)
{
    // one byte more than allowed shows that it is too large
    char *const data = malloc(SUBMISSION_MAX_ARCHIVE + 1);
    ssize_t n = 0;
    *nbytes = 0;
    while (data && *nbytes <= SUBMISSION_MAX_ARCHIVE &&
           (n = read(fd, data + *nbytes,
                     SUBMISSION_MAX_ARCHIVE + 1 - *nbytes)) > 0)
        *nbytes += (size_t)n;
    if (n >= 0)
        return data;
    free(data);
    return NULL;
}

void *submission_read(const char *path, const struct plan *p, size_t *nbytes)
{
    struct stat st;
    void *data = NULL;
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    *nbytes = 0;
    if (fd < 0)
        return errno == ELOOP || errno == ENXIO ? calloc(1, 1) : NULL;
    if (fstat(fd, &st) == 0)
        data = S_ISDIR(st.st_mode)   ? read_folder(fd, p, nbytes)
               : S_ISREG(st.st_mode) ? read_archive(fd, nbytes)
                                     : calloc(1, 1); // no bytes: no archive
    const int why = errno;
    close(fd);
    errno = why;
    return data;
}

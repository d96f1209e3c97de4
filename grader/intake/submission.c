#define _GNU_SOURCE
#include "grader/intake/submission.h"

#include <dirent.h>       /* scandir */
#include <errno.h>        /* errno */
#include <fcntl.h>        /* openat */
#include <limits.h>       /* PATH_MAX */
#include <stdio.h>        /* snprintf */
#include <stdlib.h>       /* calloc */
#include <string.h>       /* strcmp */
#include <strings.h>      /* strcasecmp */
#include <sys/resource.h> /* setrlimit */
#include <sys/stat.h>     /* fstatat */
#include <sys/wait.h>     /* waitpid */
#include <unistd.h>       /* read */

#include "grader/base/csv.h"
#include "grader/base/text.h"
#include "grader/intake/unpack.h"

/* ---- finding ------------------------------------------------------------- */

/* Split "ada@2.tar.gz" into ada and 2. The longest student's name that fits
 * counts, because names may contain dots and @. */
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

static void unknown(struct submissions *s, const char *name)
{
    if (s->nunknown++ == 0) {
        char *const clean = text_clean(name, TEXT_NAME);
        snprintf(s->unknown, sizeof s->unknown, "%s", clean);
        free(clean);
    }
}

/* Find the first two that would be the same attempt of a student,
 * or of a group. */
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
    return order ? order : a->attempt - b->attempt;
}

static int is_visible(const struct dirent *d)
{
    return d->d_name[0] != '.';
}

/* Read the times in DIR/submitted.csv. Returns -1 with err if it is damaged. */
static int read_times(const char *dir, struct submissions *s, char *err,
                      size_t err_nbytes)
{
    char path[PATH_MAX], *text = NULL;
    size_t room = 0;
    struct csv c = {0};
    snprintf(path, sizeof path, "%s/submitted.csv", dir);
    FILE *const f = fopen(path, "re");
    const ssize_t n = f ? getdelim(&text, &room, 0, f) : 0;
    int bad = n > 0 && csv_parse(&c, text, (size_t)n, err, err_nbytes) != 0;
    const int student = csv_column(&c, "student"),
              attempt = csv_column(&c, "attempt"),
              submitted = csv_column(&c, "submitted");
    for (int i = 1; i < c.nrows && !bad; i++)
        for (int k = 0; k < s->n; k++) {
            struct submission *const of = &s->s[k];
            if (strcmp(csv_field(&c.row[i], student), of->student->key) != 0 ||
                atoi(csv_field(&c.row[i], attempt)) != of->attempt)
                continue;
            of->is_said = 1;
            bad |= roster_time(csv_field(&c.row[i], submitted),
                               &of->modified) != 0;
        }
    if (bad)
        snprintf(err, err_nbytes, "%s: a line is student,attempt,submitted",
                 path);
    csv_release(&c);
    free(text);
    if (f)
        fclose(f);
    return bad ? -1 : 0;
}

/* True if only the files say when it was handed in. */
static int is_file_time(const struct submission *s)
{
    return !s->is_said &&
           roster_submitted(s->student, s->attempt) == ROSTER_NEVER;
}

int submissions_same_time(const struct submissions *s)
{
    enum { WITHIN_SEC = 60, LEAST = 3 };
    int most = 0;
    for (int i = 0; i < s->n; i++) {
        int n = 0;
        if (!is_file_time(&s->s[i]))
            continue;
        for (int k = 0; k < s->n; k++)
            n += is_file_time(&s->s[k]) &&
                 s->s[k].modified >= s->s[i].modified &&
                 s->s[k].modified <= s->s[i].modified + WITHIN_SEC;
        most = n > most ? n : most;
    }
    return most >= LEAST && 2 * most > s->n ? most : 0;
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
        if (strcmp(entry[i]->d_name, "submitted.csv") == 0) {
            free(entry[i]);
            continue;
        }
        new->student = whose(entry[i]->d_name, r, &new->attempt);
        if (!new->student)
            unknown(s, entry[i]->d_name);
        else if (asprintf(&new->path, "%s/%s", dir, entry[i]->d_name) < 0)
            abort();
        else
            s->s[s->n++].modified = submission_time(new->path, p);
        free(entry[i]);
    }
    free(entry);
    qsort(s->s, (size_t)s->n, sizeof *s->s, by_student);
    int a, b;
    if (read_times(dir, s, err, err_nbytes) != 0) {
        submissions_free(s);
        return NULL;
    }
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
        // the target says nothing about the student
        strcpy(h.link, "elsewhere");
    for (size_t i = 0; i < sizeof h; i++)
        sum += ((const unsigned char *)&h)[i];
    snprintf(h.sum, sizeof h.sum, "%06o", sum);
    fwrite(&h, sizeof h, 1, out);
}

/* Write a regular file as `path`, in blocks. One byte more than allowed is
 * kept, to show that the file is too large. */
static int put_file(FILE *out, int dir, const char *name, const char *path,
                    size_t most)
{
    enum { BLOCK = sizeof(struct header) };
    char *const data = calloc(most + 1 + BLOCK, 1);
    size_t nbytes = 0;
    ssize_t n = -1;
    const int fd =
        openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    while (data && fd >= 0 && nbytes <= most &&
           (n = read(fd, data + nbytes, most + 1 - nbytes)) > 0)
        nbytes += (size_t)n;
    const int why = errno;
    if (n >= 0) {
        put_header(out, path, '0', nbytes);
        fwrite(data, 1, (nbytes + BLOCK - 1) / BLOCK * BLOCK, out);
    }
    if (fd >= 0)
        close(fd);
    free(data);
    errno = why;
    return n >= 0 ? 0 : -1;
}

/* Write an entry of a folder: a file, or a stand-in for it. */
static int put_entry(FILE *out, int dir, const char *name, const char *path,
                     size_t most, mode_t mode)
{
    if (S_ISREG(mode))
        return put_file(out, dir, name, path, most);
    put_header(out, path, S_ISLNK(mode) ? '2' : '6', 0);
    return 0;
}

int submission_names(const struct plan *p,
                     const char *names[SUBMISSION_MAX_NAMES])
{
    for (int i = 0; i < p->nfiles; i++)
        names[i] = p->file[i];
    names[p->nfiles] = SUBMISSION_WORKLOG;
    return p->nfiles + 1;
}

int submission_is_planned(const struct plan *p, const char *name)
{
    const char *names[SUBMISSION_MAX_NAMES];
    const int n = submission_names(p, names);
    for (int i = 0; i < n; i++)
        if (strcasecmp(names[i], name) == 0)
            return 1;
    return 0;
}

static int is_misnamed(const struct plan *p, const char *name)
{
    const char *names[SUBMISSION_MAX_NAMES];
    const int n = submission_names(p, names);
    return misnamed_find(name, names, n) >= 0;
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

/*
 * When the newest file in the archive was written; ROSTER_NEVER if it isn't an
 * archive. Another process reads it, so a malicious archive can't harm the
 * batch.
 */
static int64_t archive_time(int fd, const struct plan *p)
{
    enum { MOST_SEC = 20, MOST_MEMORY = 1 << 30 };
    int64_t t = ROSTER_NEVER;
    int ends[2], status;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return t;
    const pid_t pid = fork();
    if (pid == 0) {
        const struct rlimit cpu = {MOST_SEC, MOST_SEC},
                            memory = {MOST_MEMORY, MOST_MEMORY};
        const char *names[SUBMISSION_MAX_NAMES];
        const int n = submission_names(p, names);
        size_t nbytes;
        setrlimit(RLIMIT_CPU, &cpu);
        setrlimit(RLIMIT_AS, &memory);
        void *const data = read_archive(fd, &nbytes);
        if (data)
            t = unpack_newest(data, nbytes, names, n);
        _exit(write(ends[1], &t, sizeof t) == sizeof t ? 0 : 1);
    }
    close(ends[1]);
    if (read(ends[0], &t, sizeof t) != sizeof t)
        t = ROSTER_NEVER;
    close(ends[0]);
    if (pid > 0)
        waitpid(pid, &status, 0);
    return t;
}

/* A walk through a folder and its subfolders, for files that may
 * be the plan's. */
struct walk {
    const struct plan *plan;
    FILE *out;      /* the tar; NULL: only look */
    int nentries;   /* entries so far */
    int64_t newest; /* time of the newest of the plan's files,
                       including archives */
    int64_t any;    /* time of the newest of all regular files */
};
enum { WALK_DEPTH = 4, WALK_ENTRIES = 10000 };

static void look(struct walk *w, int dir, const char *name,
                 const struct stat *st, int planned)
{
    int64_t t = st->st_mtim.tv_sec;
    if (!planned) {
        const int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        t = fd >= 0 ? archive_time(fd, w->plan) : ROSTER_NEVER;
        if (fd >= 0)
            close(fd);
    }
    w->newest = t > w->newest ? t : w->newest;
}

static int walk(struct walk *w, int dir, const char *above, int depth);

static int walk_entry(struct walk *w, int dir, const char *name,
                      const char *above, int depth)
{
    char path[PATH_MAX];
    struct stat st;
    if (w->nentries++ > WALK_ENTRIES ||
        fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return 0;
    snprintf(path, sizeof path, "%.3000s%.255s", above, name);
    if (S_ISDIR(st.st_mode)) {
        const int sub =
            openat(dir, name, O_RDONLY | O_NOFOLLOW | O_DIRECTORY | O_CLOEXEC);
        if (sub < 0 || depth == WALK_DEPTH)
            return sub < 0 ? 0 : close(sub);
        strcat(path, "/");
        return walk(w, sub, path, depth + 1);
    }
    if (S_ISREG(st.st_mode) && st.st_mtim.tv_sec > w->any)
        w->any = st.st_mtim.tv_sec;
    const int planned = submission_is_planned(w->plan, name),
              misnamed = w->out && is_misnamed(w->plan, name);
    if (!planned &&
        !(S_ISREG(st.st_mode) && (misnamed || unpack_is_archive(name))))
        return 0;
    if (!w->out) {
        look(w, dir, name, &st, planned);
        return 0;
    }
    // drop the path; its depth remains
    if (strlen(path) >= sizeof((struct header *)0)->name)
        snprintf(path, sizeof path, "%.*s%.80s", 2 * depth, "d/d/d/d/", name);
    return put_entry(w->out, dir, name, path,
                     planned || misnamed ? SUBMISSION_MAX_FILE
                                         : SUBMISSION_MAX_ARCHIVE,
                     st.st_mode);
}

/* Walk in the order of names. Closes dir. */
static int walk(struct walk *w, int dir, const char *above, int depth)
{
    struct dirent **entry = NULL;
    char self[64];
    int err = 0;
    snprintf(self, sizeof self, "/proc/self/fd/%d", dir);
    const int n = scandir(self, &entry, is_visible, alphasort);
    for (int i = 0; i < n; i++) {
        if (!err && strcmp(entry[i]->d_name, "__MACOSX") != 0)
            err = walk_entry(w, dir, entry[i]->d_name, above, depth);
        free(entry[i]);
    }
    free(entry);
    const int why = errno;
    close(dir);
    errno = why;
    return err;
}

/* Write the plan's files and the work log from the folder itself. Those of the
 * plan that are missing may be in a subfolder or an archive, or have a name in
 * another case. */
static int put_folder(FILE *out, int dir, const struct plan *p)
{
    struct walk w = {.plan = p, .out = out};
    struct stat st;
    const char *names[SUBMISSION_MAX_NAMES];
    const int n = submission_names(p, names);
    int missing = 0, err = 0;
    for (int i = 0; i < p->nfiles; i++)
        missing += fstatat(dir, p->file[i], &st, AT_SYMLINK_NOFOLLOW) != 0;
    if (missing > 0)
        return walk(&w, dup(dir), "", 0);
    for (int i = 0; i < n && !err; i++)
        if (fstatat(dir, names[i], &st, AT_SYMLINK_NOFOLLOW) == 0)
            err = put_entry(out, dir, names[i], names[i], SUBMISSION_MAX_FILE,
                            st.st_mode);
    return err;
}

static void *read_folder(int dir, const struct plan *p, size_t *nbytes)
{
    char *data = NULL;
    FILE *const out = open_memstream(&data, nbytes);
    if (!out)
        abort();
    const int err = put_folder(out, dir, p);
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
                                     : calloc(1, 1); // no bytes: not an archive
    const int why = errno;
    close(fd);
    errno = why;
    return data;
}

/* ---- time of writing ----------------------------------------------------- */

int64_t submission_time(const char *path, const struct plan *p)
{
    struct walk w = {.plan = p, .newest = ROSTER_NEVER, .any = ROSTER_NEVER};
    struct stat st;
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0)
        return ROSTER_NEVER;
    if (S_ISDIR(st.st_mode))
        walk(&w, fd, "", 0);
    else if (S_ISREG(st.st_mode))
        w.newest = archive_time(fd, p);
    if (!S_ISDIR(st.st_mode))
        close(fd);
    return w.newest != ROSTER_NEVER ? w.newest
           : w.any != ROSTER_NEVER  ? w.any
                                    : st.st_mtim.tv_sec;
}

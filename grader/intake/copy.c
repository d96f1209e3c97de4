#define _GNU_SOURCE
#include "grader/intake/copy.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>    /* ENOSPC */
#include <fcntl.h>    /* open */
#include <limits.h>   /* PATH_MAX */
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* free */
#include <string.h>   /* strcmp */
#include <sys/stat.h> /* mkdir */
#include <unistd.h>   /* close */

#include "base/whole.h"
#include "grader/intake/submission.h"

/* ---- the download as a folder -------------------------------------------- */

int copy_unpack(const char *path, const char *dir, char *err, size_t err_nbytes)
{
    struct archive *const in = archive_read_new(), *const out =
                                                       archive_write_disk_new();
    struct archive_entry *e;
    char to[2 * PATH_MAX];
    int r = ARCHIVE_FATAL;
    archive_read_support_format_tar(in);
    archive_read_support_format_zip(in);
    archive_read_support_filter_all(in);
    archive_write_disk_set_options(out, ARCHIVE_EXTRACT_TIME |
                                            ARCHIVE_EXTRACT_SECURE_NODOTDOT |
                                            ARCHIVE_EXTRACT_SECURE_SYMLINKS);
    if (archive_read_open_filename(in, path, 65536) == ARCHIVE_OK)
        while ((r = archive_read_next_header(in, &e)) >= ARCHIVE_WARN &&
               r != ARCHIVE_EOF) {
            const char *const name = archive_entry_pathname(e);
            if (archive_entry_filetype(e) != S_IFREG || !name ||
                archive_entry_hardlink(e))
                continue; // folders are made for the files in them
            snprintf(to, sizeof to, "%s/%s", dir, name);
            archive_entry_set_pathname(e, to);
            archive_entry_set_perm(e, 0600);
            if (archive_read_extract2(in, e, out) != ARCHIVE_OK) {
                r = ARCHIVE_FATAL;
                break;
            }
        }
    if (r != ARCHIVE_EOF && archive_errno(in) == ENOSPC)
        snprintf(err, err_nbytes, "%s: %s has no space left to unpack it", path,
                 dir);
    else if (r != ARCHIVE_EOF)
        snprintf(err, err_nbytes, "%s: %s", path,
                 archive_error_string(in) ? archive_error_string(in)
                                          : "cannot be unpacked");
    archive_read_free(in);
    archive_write_free(out);
    return r == ARCHIVE_EOF ? 0 : -1;
}

/* ---- copying ------------------------------------------------------------- */

/* Copy a regular file, with its time. */
static int file(const char *from, const char *to)
{
    char chunk[65536];
    struct stat st;
    ssize_t n = -1;
    size_t total = 0;
    const int in = open(from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (in < 0 || fstat(in, &st) != 0 || !S_ISREG(st.st_mode)) {
        if (in >= 0)
            close(in);
        return 0; // a link or a fifo: not copied
    }
    const int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    while (out >= 0 && total <= SUBMISSION_MAX_ARCHIVE &&
           (n = read(in, chunk, sizeof chunk)) > 0 &&
           whole_put(write, out, chunk, (size_t)n) == 0)
        total += (size_t)n;
    const struct timespec times[2] = {st.st_atim, st.st_mtim};
    const int failed = n > 0 ? total <= SUBMISSION_MAX_ARCHIVE : n < 0;
    if (out >= 0) {
        futimens(out, times);
        close(out);
    }
    close(in);
    return failed ? -1 : 0;
}

int copy_is_visible(const struct dirent *d)
{
    return d->d_name[0] != '.' && strcmp(d->d_name, "__MACOSX") != 0;
}

static int copy(const char *from, const char *to, int depth)
{
    struct dirent **entry = NULL;
    struct stat st;
    int err = 0;
    if (lstat(from, &st) != 0)
        return -1;
    if (!S_ISDIR(st.st_mode))
        return file(from, to);
    if (depth == COPY_DEPTH)
        return 0;
    const int n = mkdir(to, 0700) == 0 || depth == 0
                      ? scandir(from, &entry, copy_is_visible, alphasort)
                      : -1;
    for (int i = 0; i < n; i++) {
        char a[PATH_MAX], b[PATH_MAX];
        const int fits =
            snprintf(a, sizeof a, "%s/%s", from, entry[i]->d_name) < PATH_MAX &&
            snprintf(b, sizeof b, "%s/%s", to, entry[i]->d_name) < PATH_MAX;
        if (fits && !err)
            err = copy(a, b, depth + 1);
        free(entry[i]);
    }
    free(entry);
    return n < 0 ? -1 : err;
}

int copy_tree(const char *from, const char *to)
{
    return copy(from, to, 0);
}

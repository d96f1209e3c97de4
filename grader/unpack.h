/*
 * unpack.h: taking files out of an archive that a student sent
 *
 * Read with libarchive: tar in its dialects, compressed or not, and zip.
 * Nothing is unpacked but regular files with the names that are asked for, and
 * archives in the archive, into memory. How much is read, how many entries, how
 * large, and how many archives deep is capped over all of it, so that what
 * unpacks to a petabyte ends early.
 */
#ifndef GRADER_UNPACK_H
#define GRADER_UNPACK_H

#include <stddef.h>
#include <stdint.h>

enum unpack_state {
    UNPACK_MISSING,
    UNPACK_FILE,
    UNPACK_LINK,    /* symbolic or hard */
    UNPACK_SPECIAL, /* a folder, a device, a fifo ... */
    UNPACK_LARGE,   /* over max_nbytes */
    UNPACK_TWICE,   /* in two folders, neither above the other */
};

struct unpack_file {
    const char *name; /* what is looked for: a plain name */
    enum unpack_state state;
    char *data; /* of an UNPACK_FILE; malloc'ed, or NULL */
    size_t nbytes;
    int depth;      /* folders and archives above it */
    int wrong_case; /* found as P2P.C, say; only if the name itself isn't there
                     */
    int64_t modified; /* s since 1970, as the archive says */
};

#define UNPACK_NEVER INT64_MIN

/* True if a file of this name is taken for an archive, if only to say that it
 * is of a kind that is not opened. */
int unpack_is_archive(const char *name);

/*
 * Find the files by name, wherever they are (at most six folders and archives
 * deep; the least deep one counts, and one in the right case before one in
 * another). 0; or -1 with a line in why when the archive as a
 * whole is refused: damaged, too much in it, a path that is absolute or has
 * "..". With 0, why is "" or names an archive in it that was not opened. The
 * caller frees each data in either case.
 */
int unpack_files(const void *bytes, size_t nbytes, struct unpack_file *file,
                 int nfiles, size_t max_nbytes, char *why, size_t why_nbytes);

/* True if a file that was found has nothing in it but white space. */
int unpack_is_empty(const struct unpack_file *f);

/* When the newest of these files was modified; if none is there, the newest of
 * all. UNPACK_NEVER if the archive does not say. */
int64_t unpack_newest(const void *bytes, size_t nbytes,
                      const char *const *names, int nnames);

#endif

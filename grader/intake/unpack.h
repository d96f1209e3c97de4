/*
 * unpack.h: taking files out of an archive that a student sent
 *
 * Archives are read with libarchive: tar in its dialects, compressed or not,
 * and zip. Only regular files with the requested names, and archives within the
 * archive, are unpacked, into memory. Bytes, entries, sizes and nesting have
 * limits over the whole archive, so one that unpacks to a petabyte ends early.
 */
#ifndef GRADER_UNPACK_H
#define GRADER_UNPACK_H

#include <stddef.h>
#include <stdint.h>

#include "grader/intake/misnamed.h"

enum unpack_state {
    UNPACK_MISSING,
    UNPACK_FILE,
    UNPACK_LINK,    /* symbolic or hard link */
    UNPACK_SPECIAL, /* a folder, a device, a fifo ... */
    UNPACK_LARGE,   /* larger than max_nbytes */
    UNPACK_TWICE,   /* in two folders, of which neither is above the other */
};

struct unpack_file {
    const char *name; /* the wanted name, without a folder */
    enum unpack_state state;
    char *data; /* contents of an UNPACK_FILE, from malloc(); else NULL */
    size_t nbytes;
    int depth;      /* number of folders and archives above it */
    int wrong_case; /* found as P2P.C, say, because the exact name is missing */
    char misnamed[MISNAMED_MOST]; /* while it is missing: a file that may be it,
                                     under another name; "": there is none */
    int64_t modified;             /* s since 1970, from the archive */
};

#define UNPACK_NEVER INT64_MIN

/* True if a file with this name counts as an archive, even if only to say that
 * its kind is not opened. */
int unpack_is_archive(const char *name);

/*
 * Find the files by name, wherever they are (at most six folders and archives
 * deep; the least deep one counts, and an exact name before one in another
 * case). Returns 0, or -1 with a line in why if the archive as a whole is
 * refused: it is damaged, has too much in it, or a path that is absolute or
 * contains "..". With 0, why is "", or names an archive inside that was not
 * opened. The caller frees each data in either case.
 */
int unpack_files(const void *bytes, size_t nbytes, struct unpack_file *file,
                 int nfiles, size_t max_nbytes, char *why, size_t why_nbytes);

/* True if a file that was found contains only white space. */
int unpack_is_empty(const struct unpack_file *f);

/* The time of the newest of these files or, if there is none, of the newest
 * file. UNPACK_NEVER if the archive does not say. */
int64_t unpack_newest(const void *bytes, size_t nbytes,
                      const char *const *names, int nnames);

#endif

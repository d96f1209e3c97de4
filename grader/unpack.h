/*
 * unpack.h: taking files out of an archive that a student sent
 *
 * Read with libarchive: tar in its dialects, compressed or not, and zip.
 * Nothing is unpacked but regular files with the names that are asked for, into
 * memory. How much is read, how many entries, and how large is capped, so that
 * what unpacks to a petabyte ends early.
 */
#ifndef GRADER_UNPACK_H
#define GRADER_UNPACK_H

#include <stddef.h>

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
    int depth; /* folders above it */
};

/*
 * Find the files by name, wherever they are (at most four folders deep; the
 * least deep one counts). 0; or -1 with a line in why when the archive as a
 * whole is refused: damaged, too much in it, a path that is absolute or has
 * "..". The caller frees each data in either case.
 */
int unpack_files(const void *bytes, size_t nbytes, struct unpack_file *file,
                 int nfiles, size_t max_nbytes, char *why, size_t why_nbytes);

#endif

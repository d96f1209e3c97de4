/*
 * copy.h: taking over the files of a download, none of which is trusted
 *
 * Only regular files and folders are copied: no links, no fifos, nothing whose
 * path leads out of the folder.
 */
#ifndef GRADER_COPY_H
#define GRADER_COPY_H

#include <dirent.h>
#include <stddef.h>

enum { COPY_DEPTH = 6 }; /* folders within folders that are copied */

/* Unpack an archive into a folder. Returns 0, or -1 with the reason in err. */
int copy_unpack(const char *path, const char *dir, char *err,
                size_t err_nbytes);

/* Copy a file, or a folder with what is in it, with their times. Returns -1 if
 * something can't be written. */
int copy_tree(const char *from, const char *to);

/* For scandir(): false for what systems add to a folder. */
int copy_is_visible(const struct dirent *d);

#endif

/*
 * unnamed.h: files that processes hold and no folder shows
 */
#ifndef GRADER_UNNAMED_H
#define GRADER_UNNAMED_H

/* Bytes of the files without a name, on the file system that `folder` is on,
 * that our child processes and theirs have open or mapped. Of a file that is
 * only mapped, the part up to the mapping's end. Each file counts once.
 * Processes that end meanwhile, or that this user may not look into, count
 * nothing. */
long long unnamed_nbytes(const char *folder);

#endif

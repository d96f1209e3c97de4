/*
 * unnamed.h: files that processes hold but no folder shows
 */
#ifndef GRADER_UNNAMED_H
#define GRADER_UNNAMED_H

/*
 * Bytes of the anonymous files, on the file system of `folder`, that child
 * processes and their descendants have open or mapped. Of a file that is only
 * mapped, the part up to the mapping's end counts. Each file counts once.
 * Processes that end meanwhile, or that this user may not inspect, count
 * nothing.
 */
long long unnamed_nbytes(const char *folder);

#endif

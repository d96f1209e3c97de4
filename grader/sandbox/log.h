/*
 * log.h: the first and the last part of a program's output
 */
#ifndef GRADER_LOG_H
#define GRADER_LOG_H

#include <stddef.h>

enum { LOG_HEAD = 64 << 10, LOG_TAIL = 4 << 10 };

struct log {
    char head[LOG_HEAD + 1], tail[LOG_TAIL + 1]; /* NUL-terminated */
    size_t nhead, ntail;
    size_t dropped; /* bytes in neither part */
};

/* Append output; NULs become '?'. A zeroed log is empty. */
void log_add(struct log *l, const char *data, size_t nbytes);

#endif

/*
 * whole.h: writing all bytes, where write() and send() may write only some
 */
#ifndef COMMLAB_BASE_WHOLE_H
#define COMMLAB_BASE_WHOLE_H

#include <stddef.h>    /* size_t */
#include <sys/types.h> /* ssize_t */

/* Like write(): returns how many bytes it took, or -1 with errno. */
typedef ssize_t whole_put_some(int fd, const void *data, size_t nbytes);

/* Call put until it has taken all bytes; signals in between do no harm. Returns
 * 0, or -1 with put's errno. */
int whole_put(whole_put_some *put, int fd, const void *data, size_t nbytes);

#endif

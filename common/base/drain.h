/*
 * drain.h: waiting until the launcher has read what this process printed
 *
 * When the launcher ends the ranks, it drops output that is still in a pipe.
 */
#ifndef COMMLAB_BASE_DRAIN_H
#define COMMLAB_BASE_DRAIN_H

#include <sys/ioctl.h> /* FIONREAD */
#include <unistd.h>    /* usleep */

/* True if the pipe is empty, or fd is not a pipe. */
static inline int drain_is_done(int fd)
{
    int left = 0;
    return ioctl(fd, FIONREAD, &left) != 0 || left == 0;
}

/* Wait until both standard pipes are empty, but for at most a second. */
static inline void drain_wait(void)
{
    enum { PATIENCE_MS = 1000 };
    for (int i = 0; i < PATIENCE_MS && !(drain_is_done(1) && drain_is_done(2));
         i++)
        usleep(1000);
}

#endif

/*
 * warden.h: how the grader learns how a rank ended
 *
 * A graded rank has a parent that runs no student code, its warden. The warden
 * connects to a socket WARDEN_NAME in the job's folder before the rank starts,
 * and reports there what the kernel says about the rank: that it exited, was
 * killed by a signal, or was stopped. Before any student code runs, the rank
 * itself may report that this machine can't restrict it.
 */
#ifndef COMMLAB_BASE_WARDEN_H
#define COMMLAB_BASE_WARDEN_H

#include <stdint.h>

#define WARDEN_NAME "warden"

enum { WARDEN_MAGIC = 0x6E644157 }; /* "WAdn" */

enum warden_kind {
    WARDEN_BEGAN,
    WARDEN_STOPPED,
    WARDEN_EXITED,
    WARDEN_KILLED,
    WARDEN_UNABLE
};

struct warden_word {
    uint32_t magic, kind, rank;
    int32_t value; /* the exit status, the signal, or errno */
    double sec;    /* steady_sec() */
};

#endif

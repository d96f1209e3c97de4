/*
 * warden.h: how the grader hears of the end of a rank
 *
 * A graded rank has a parent that runs none of the student's code, its warden.
 * It joins a socket WARDEN_NAME of the job's folder before the rank begins, and
 * says there what the kernel says of the rank: that it exited, was killed by a
 * signal, or was stopped. Before any of the student's code runs, the rank may
 * say there that this machine cannot restrict it.
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

#define _GNU_SOURCE
#include "grader/run/wardens.h"

#include <math.h>       /* INFINITY */
#include <signal.h>     /* SIGKILL */
#include <stdio.h>      /* snprintf */
#include <string.h>     /* strstr */
#include <sys/socket.h> /* accept4 */
#include <unistd.h>     /* close */

#include "base/warden.h"
#include "grader/base/listener.h"
#include "judge/words.h"

int wardens_listen(const char *seen)
{
    return listener_open(seen, WARDEN_NAME);
}

void wardens_close(int wardens, const char *seen)
{
    listener_close(wardens, seen, WARDEN_NAME);
}

struct ends { /* what all wardens have reported */
    int nbegan, nended;
    struct warden_word left;   /* the first rank that ended by itself;
                                  sec: INFINITY */
    double failed_sec;         /* when the first of these failed */
    struct warden_word killed; /* the first rank that was ended from outside;
                                  sec: INFINITY */
    struct warden_word stopped, unable;
};

/* True for signals that a failing program does not get and a rank cannot
 * send. */
static int is_from_outside(int value)
{
    static const int signals[] = {SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGQUIT};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (signals[i] == value)
            return 1;
    return 0;
}

static void take(struct ends *e, const struct warden_word *w)
{
    e->nbegan += w->kind == WARDEN_BEGAN;
    e->nended += w->kind == WARDEN_EXITED || w->kind == WARDEN_KILLED;
    if (w->kind == WARDEN_STOPPED) {
        e->stopped = *w;
    } else if (w->kind == WARDEN_UNABLE) {
        e->unable = *w;
    } else if (w->kind == WARDEN_KILLED && is_from_outside(w->value)) {
        if (w->sec < e->killed.sec)
            e->killed = *w;
    } else if (w->kind != WARDEN_BEGAN) {
        if (w->sec < e->left.sec)
            e->left = *w;
        if (w->sec < e->failed_sec &&
            (w->kind == WARDEN_KILLED || w->value != 0))
            e->failed_sec = w->sec;
    }
}

/* Read a warden's report: its rank has ended, or was killed. */
static void read_warden(int connection, struct ends *e)
{
    struct warden_word w;
    while (recv(connection, &w, sizeof w, MSG_DONTWAIT | MSG_WAITALL) ==
           sizeof w)
        if (w.magic == WARDEN_MAGIC)
            take(e, &w);
}

/* Read the first nranks wardens; further connections may be from ranks. */
static struct ends read_all(int wardens, int nranks)
{
    struct ends e = {
        .left.sec = INFINITY, .failed_sec = INFINITY, .killed.sec = INFINITY};
    // they are in the queue already, or never come
    struct timeval soon = {0, 1};
    setsockopt(wardens, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
    for (int i = 0; i < nranks; i++) {
        const int c = accept4(wardens, NULL, NULL, SOCK_CLOEXEC);
        if (c < 0)
            break;
        read_warden(c, &e);
        close(c);
    }
    return e;
}

/* True if the program, or a library on its behalf, says why it ended. */
static int says_why(const struct sandbox_end *end)
{
    char words[64];
    return words_find(end->log.head, words, sizeof words) ||
           strstr(end->log.head, "application called MPI_Abort");
}

/* True if mpirun was killed, or says that what it started was. After
 * MPI_Abort() it kills the wardens itself and doesn't say so. */
static int was_killed(const struct sandbox_end *end)
{
    static const char text[] = "WITH THE EXIT STRING: Killed";
    return end->status > 128 || strstr(end->log.head, text) ||
           strstr(end->log.tail, text);
}

/* True, with the reason, if something from outside ended the run. */
static int is_outside(const struct ends *e, const struct sandbox_end *end,
                      int *first, char *why, size_t nbytes)
{
    if (e->unable.kind == WARDEN_UNABLE) {
        snprintf(why, nbytes,
                 "this machine does not let a program restrict itself "
                 "(seccomp: %s): an emulated processor?",
                 strerror(e->unable.value));
        return 1;
    }
    if (end->out_of_memory || end->crowded || end->flooded || end->loud)
        return 0;
    if (end->timed_out) {
        if (e->stopped.kind != WARDEN_STOPPED)
            return 0;
        *first = (int)e->stopped.rank;
        snprintf(why, nbytes, "rank %u was stopped from outside (%s)",
                 e->stopped.rank, strsignal(e->stopped.value));
        return 1;
    }
    if (e->killed.sec < e->failed_sec) {
        *first = (int)e->killed.rank;
        snprintf(why, nbytes, "rank %u was killed from outside (%s)",
                 e->killed.rank, strsignal(e->killed.value));
        return 1;
    }
    if (e->nended > 0 || end->status == 0 || says_why(end) || !was_killed(end))
        return 0;
    snprintf(why, nbytes, "what starts the ranks was killed from outside");
    return 1;
}

int wardens_find(int wardens, int nranks, const struct sandbox_end *end,
                 int *first, char *why, size_t nbytes)
{
    const struct ends e = read_all(wardens, nranks);
    why[0] = 0;
    *first = -1;
    if (e.nbegan < nranks)
        return 0;
    if (is_outside(&e, end, first, why, nbytes))
        return 1;
    if (e.left.kind == WARDEN_EXITED || e.left.kind == WARDEN_KILLED)
        *first = (int)e.left.rank;
    if (e.left.kind == WARDEN_EXITED)
        snprintf(why, nbytes,
                 "rank %u ended in the middle of the case, with exit status %d",
                 e.left.rank, e.left.value);
    else if (e.left.kind == WARDEN_KILLED)
        snprintf(why, nbytes, "rank %u ended in the middle of the case: %s",
                 e.left.rank, strsignal(e.left.value));
    return 0;
}

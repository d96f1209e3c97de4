#define _GNU_SOURCE
#include "grader/recorder/recorder_rank.h"

#include <errno.h>      /* errno */
#include <poll.h>       /* poll */
#include <stdarg.h>     /* va_list */
#include <string.h>     /* strerror */
#include <sys/socket.h> /* shutdown */
#include <unistd.h>     /* close */

void rank_hang_up(struct rank *k, enum recorder_role role)
{
    if (k->connection[role] >= 0) {
        // a process forked in between may still hold it open
        shutdown(k->connection[role], SHUT_RDWR);
        close(k->connection[role]);
    }
    k->connection[role] = -1;
    if (role == RECORDER_GRAPH && k->waits >= 0) {
        close(k->waits);
        k->waits = -1;
    }
}

void rank_forged(struct recorder *r, struct rank *k, const char *format, ...)
{
    char text[160];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!r->end.forged[0])
        snprintf(r->end.forged, sizeof r->end.forged, "a rank %s", text);
    for (int i = 0; i < RECORDER_ROLES; i++)
        rank_hang_up(k, (enum recorder_role)i);
}

void rank_failed(struct recorder *r, const char *what)
{
    if (!r->end.failed[0])
        snprintf(r->end.failed, sizeof r->end.failed, "%s: %s", what,
                 strerror(errno));
}

int rank_is_due(const struct rank *k, enum recorder_role role)
{
    struct pollfd p = {k->connection[role], POLLIN, 0};
    return p.fd >= 0 && poll(&p, 1, 0) > 0;
}

void rank_reply(int connection, const void *data, size_t nbytes)
{
    const uint32_t n = (uint32_t)nbytes;
    recorder_write(connection, &n, sizeof n);
    recorder_write(connection, data, nbytes);
}

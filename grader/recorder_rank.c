#define _GNU_SOURCE
#include "recorder_rank.h"

#include <errno.h>      /* errno */
#include <stdarg.h>     /* va_list */
#include <string.h>     /* strerror */
#include <sys/socket.h> /* recvmsg */
#include <unistd.h>     /* close */

void rank_hang_up(struct rank *k, enum recorder_role role)
{
    if (k->connection[role] >= 0)
        close(k->connection[role]);
    k->connection[role] = -1;
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

void rank_reply(int connection, const void *data, size_t nbytes)
{
    const uint32_t n = (uint32_t)nbytes;
    recorder_write(connection, &n, sizeof n);
    recorder_write(connection, data, nbytes);
}

ssize_t rank_receive(int connection, void *data, size_t nbytes, int flags,
                     int *fd)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof *fd)];
    } control;
    struct iovec part = {data, nbytes};
    struct msghdr m = {.msg_iov = &part,
                       .msg_iovlen = 1,
                       .msg_control = &control,
                       .msg_controllen = sizeof control};
    const ssize_t n = recvmsg(connection, &m, flags | MSG_CMSG_CLOEXEC);
    const struct cmsghdr *const c = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
    if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
        return n;
    if (*fd >= 0)
        close(*fd);
    memcpy(fd, CMSG_DATA(c), sizeof *fd);
    return n;
}

#define _GNU_SOURCE
#include "base/recorder.h"

#include <errno.h>      /* errno */
#include <fcntl.h>      /* open */
#include <signal.h>     /* SIGPIPE */
#include <stdio.h>      /* snprintf */
#include <stdlib.h>     /* malloc */
#include <string.h>     /* memcpy */
#include <sys/socket.h> /* connect */
#include <sys/un.h>     /* sockaddr_un */
#include <unistd.h>     /* close */

#include "base/whole.h"

/* The path of a socket must be short, so the connection goes through
 * /proc/self/fd to the folder, whose own path may be long. */
int recorder_connect(const char *dir, const char *socket_name)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    const int folder = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
    const int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(name.sun_path, sizeof name.sun_path, "/proc/self/fd/%d/%s", folder,
             socket_name);
    const int err = folder < 0 || s < 0 ||
                    connect(s, (struct sockaddr *)&name, sizeof name) != 0;
    const int why = errno;
    if (folder >= 0)
        close(folder);
    if (err && s >= 0)
        close(s);
    errno = why;
    return err ? -1 : s;
}

/* Send as much as fits; the descriptor goes with the first byte. */
static ssize_t send_with(int connection, const void *data, size_t nbytes,
                         int fd)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof fd)];
    } control = {.room = {0}};
    struct iovec part = {(void *)(uintptr_t)data, nbytes};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};
    if (fd >= 0) {
        m.msg_control = &control;
        m.msg_controllen = sizeof control;
        control.head = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof fd),
                                        .cmsg_level = SOL_SOCKET,
                                        .cmsg_type = SCM_RIGHTS};
        memcpy(CMSG_DATA(&control.head), &fd, sizeof fd);
    }
    return sendmsg(connection, &m, MSG_NOSIGNAL);
}

int recorder_join(const char *dir, enum recorder_role role, uint32_t rank,
                  int fd)
{
    const struct recorder_hello hello = {RECORDER_MAGIC, role, rank};
    const int s = recorder_connect(dir, RECORDER_NAME);
    if (s < 0 || send_with(s, &hello, sizeof hello, fd) == sizeof hello)
        return s;
    const int why = errno;
    close(s);
    errno = why;
    return -1;
}

static ssize_t send_some(int connection, const void *data, size_t nbytes)
{
    return send(connection, data, nbytes, MSG_NOSIGNAL);
}

int recorder_write(int connection, const void *data, size_t nbytes)
{
    return whole_put(send_some, connection, data, nbytes);
}

int recorder_append(int pipe, const void *data, size_t nbytes)
{
    return whole_put(write, pipe, data, nbytes);
}

int recorder_write_with(int connection, const void *data, size_t nbytes, int fd)
{
    ssize_t n;
    do
        n = send_with(connection, data, nbytes, fd);
    while (n < 0 && errno == EINTR);
    return n < 0 ? -1
                 : recorder_write(connection, (const char *)data + n,
                                  nbytes - (size_t)n);
}

ssize_t recorder_receive(int connection, void *data, size_t nbytes, int flags,
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

int recorder_pipe(int connection)
{
    uint32_t nbytes;
    int fd = -1;
    ssize_t n;
    do
        n = recorder_receive(connection, &nbytes, sizeof nbytes, MSG_WAITALL,
                             &fd);
    while (n < 0 && errno == EINTR);
    if (fd < 0)
        errno = n < 0 ? errno : EPIPE;
    else
        signal(SIGPIPE, SIG_IGN);
    return fd;
}

static int read_all(int connection, void *data, size_t nbytes)
{
    char *at = data;
    while (nbytes > 0) {
        const ssize_t n = recv(connection, at, nbytes, 0);
        if (n == 0)
            errno = EPIPE; // the other end is gone
        if (n == 0 || (n < 0 && errno != EINTR))
            return -1;
        at += n > 0 ? n : 0;
        nbytes -= n > 0 ? (size_t)n : 0;
    }
    return 0;
}

int recorder_reply_to(int connection, void *out, size_t nbytes)
{
    uint32_t n;
    return read_all(connection, &n, sizeof n) == 0 && n == nbytes
               ? read_all(connection, out, nbytes)
               : -1;
}

char *recorder_reply(int connection)
{
    uint32_t nbytes;
    if (read_all(connection, &nbytes, sizeof nbytes) != 0)
        return NULL;
    char *const text = malloc((size_t)nbytes + 1);
    if (text && read_all(connection, text, nbytes) != 0) {
        free(text);
        return NULL;
    }
    if (text)
        text[nbytes] = 0;
    return text;
}

#define _GNU_SOURCE
#include "grader/base/listener.h"

#include <errno.h>      /* errno */
#include <fcntl.h>      /* open */
#include <limits.h>     /* PATH_MAX */
#include <stdio.h>      /* snprintf */
#include <sys/socket.h> /* bind */
#include <sys/stat.h>   /* chmod */
#include <sys/un.h>     /* sockaddr_un */
#include <unistd.h>     /* close */

int listener_open(const char *folder, const char *name)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    const int at = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    snprintf(to.sun_path, sizeof to.sun_path, "/proc/self/fd/%d/%s", at, name);
    const int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int err = at < 0 || s < 0 ||
                    bind(s, (struct sockaddr *)&to, sizeof to) != 0 ||
                    chmod(to.sun_path, 0666) != 0 || listen(s, 128) != 0;
    const int why = errno;
    if (at >= 0)
        close(at);
    if (err && s >= 0)
        close(s);
    errno = why;
    return err ? -1 : s;
}

void listener_close(int listener, const char *folder, const char *name)
{
    char path[PATH_MAX];
    if (listener < 0)
        return;
    close(listener);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
}

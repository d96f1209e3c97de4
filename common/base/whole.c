#include "base/whole.h"

#include <errno.h> /* errno */

int whole_put(whole_put_some *put, int fd, const void *data, size_t nbytes)
{
    const char *at = data;
    while (nbytes > 0) {
        const ssize_t n = put(fd, at, nbytes);
        if (n < 0 && errno != EINTR)
            return -1;
        at += n > 0 ? n : 0;
        nbytes -= n > 0 ? (size_t)n : 0;
    }
    return 0;
}

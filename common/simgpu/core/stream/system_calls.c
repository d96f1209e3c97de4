#define _GNU_SOURCE
/*
 * system_calls.c: the C library's input and output, on pinned memory
 *
 * A system call on a protected page fails with EFAULT, although the bytes that
 * it was given may be none of the copy's that the page is watched for
 * (pending.h). These functions therefore stand in front of the C library's.
 * While copies are pending, they record what the call touches and pass on the
 * address at which the memory is never protected.
 *
 * Their symbols have the C library's version, so that they also serve calls of
 * other libraries, and are hidden, so that no program is linked with them. A
 * library that is loaded by dlopen() gets none of the program's calls.
 */
#include <dlfcn.h>      /* dlsym */
#include <execinfo.h>   /* backtrace */
#include <stdatomic.h>  /* atomic_load */
#include <stdio.h>      /* FILE */
#include <sys/socket.h> /* msghdr */
#include <sys/uio.h>    /* iovec */

#include "core/heap/heap.h"
#include "core/site.h"
#include "core/stream/pending.h"

enum { MAX_PIECES = 64, MAX_FRAMES = 32 };

/* Bytes that the call reads or writes (enum graph_touch). Returns the address
 * to use instead. */
static void *lend(const void *p, size_t nbytes, int how, const char *call)
{
    void *frame[MAX_FRAMES];
    struct heap_block b;
    if (!pending_touches(p, nbytes))
        return (void *)(uintptr_t)p;
    const int n = backtrace(frame, MAX_FRAMES);
    pending_lend(p, nbytes, how, call,
                 site_of_frames((const void *const *)frame, n));
    const int is_pinned =
        simgpu_heap_find(p, &b) == 0 && b.device == HEAP_PINNED && !b.mapped;
    return is_pinned ? simgpu_heap_raw(p) : (void *)(uintptr_t)p;
}

/* The same for several pieces. */
static const struct iovec *lend_all(const struct iovec *from, size_t n,
                                    struct iovec to[MAX_PIECES], int how,
                                    const char *call)
{
    if (!pending_exists() || !from || n > MAX_PIECES)
        return from;
    for (size_t i = 0; i < n; i++)
        to[i] =
            (struct iovec){lend(from[i].iov_base, from[i].iov_len, how, call),
                           from[i].iov_len};
    return to;
}

/* The C library's function of this name. */
#define NEXT(name) next_of((void *_Atomic *)&name##_next, #name)

static void *next_of(void *_Atomic *known, const char *name)
{
    void *f = atomic_load(known);
    if (!f) {
        f = dlsym(RTLD_NEXT, name);
        atomic_store(known, f);
    }
    return f;
}

#if defined(__aarch64__)
#define VERSION "GLIBC_2.17"
#else
#define VERSION "GLIBC_2.2.5"
#endif

/* Define a function: result, parameters behind the name, and what it does. */
#define IN_FRONT_OF(result, name, params)                                      \
    static void *_Atomic name##_next;                                          \
    result simgpu_io_##name params;                                            \
    __asm__(".symver simgpu_io_" #name ", " #name "@" VERSION);                \
    result simgpu_io_##name params

/* Calls whose buffer is parameter `p`, of n bytes. */
#define BUFFER(result, name, how, params, types, args, n)                      \
    IN_FRONT_OF(result, name, params)                                          \
    {                                                                          \
        p = lend(p, n, how, #name);                                            \
        return ((result(*) types)NEXT(name))args;                              \
    }

BUFFER(ssize_t, read, GRAPH_WRITE, (int fd, void *p, size_t n),
       (int, void *, size_t), (fd, p, n), n)
BUFFER(ssize_t, write, GRAPH_READ, (int fd, const void *p, size_t n),
       (int, const void *, size_t), (fd, p, n), n)
BUFFER(ssize_t, pread, GRAPH_WRITE, (int fd, void *p, size_t n, off_t at),
       (int, void *, size_t, off_t), (fd, p, n, at), n)
BUFFER(ssize_t, pwrite, GRAPH_READ, (int fd, const void *p, size_t n, off_t at),
       (int, const void *, size_t, off_t), (fd, p, n, at), n)
BUFFER(ssize_t, pread64, GRAPH_WRITE, (int fd, void *p, size_t n, off_t at),
       (int, void *, size_t, off_t), (fd, p, n, at), n)
BUFFER(ssize_t, pwrite64, GRAPH_READ,
       (int fd, const void *p, size_t n, off_t at),
       (int, const void *, size_t, off_t), (fd, p, n, at), n)
BUFFER(ssize_t, recv, GRAPH_WRITE, (int fd, void *p, size_t n, int flags),
       (int, void *, size_t, int), (fd, p, n, flags), n)
BUFFER(ssize_t, send, GRAPH_READ, (int fd, const void *p, size_t n, int flags),
       (int, const void *, size_t, int), (fd, p, n, flags), n)
BUFFER(ssize_t, recvfrom, GRAPH_WRITE,
       (int fd, void *p, size_t n, int flags, struct sockaddr *from,
        socklen_t *length),
       (int, void *, size_t, int, struct sockaddr *, socklen_t *),
       (fd, p, n, flags, from, length), n)
BUFFER(ssize_t, sendto, GRAPH_READ,
       (int fd, const void *p, size_t n, int flags, const struct sockaddr *to,
        socklen_t length),
       (int, const void *, size_t, int, const struct sockaddr *, socklen_t),
       (fd, p, n, flags, to, length), n)
BUFFER(size_t, fread, GRAPH_WRITE, (void *p, size_t size, size_t n, FILE *f),
       (void *, size_t, size_t, FILE *), (p, size, n, f), size *n)
BUFFER(size_t, fwrite, GRAPH_READ,
       (const void *p, size_t size, size_t n, FILE *f),
       (const void *, size_t, size_t, FILE *), (p, size, n, f), size *n)

/* Calls of pieces. */
#define PIECES(name, how)                                                      \
    IN_FRONT_OF(ssize_t, name, (int fd, const struct iovec *v, int n))         \
    {                                                                          \
        struct iovec to[MAX_PIECES];                                           \
        v = lend_all(v, n < 0 ? 0 : (size_t)n, to, how, #name);                \
        return ((ssize_t(*)(int, const struct iovec *, int))NEXT(name))(fd, v, \
                                                                        n);    \
    }
PIECES(readv, GRAPH_WRITE)
PIECES(writev, GRAPH_READ)

IN_FRONT_OF(ssize_t, sendmsg, (int fd, const struct msghdr *m, int flags))
{
    struct iovec to[MAX_PIECES];
    struct msghdr own;
    if (pending_exists() && m) {
        own = *m;
        own.msg_iov = (struct iovec *)(uintptr_t)lend_all(
            m->msg_iov, m->msg_iovlen, to, GRAPH_READ, "sendmsg");
        m = &own;
    }
    return ((ssize_t(*)(int, const struct msghdr *, int))NEXT(sendmsg))(fd, m,
                                                                        flags);
}

IN_FRONT_OF(ssize_t, recvmsg, (int fd, struct msghdr *m, int flags))
{
    struct iovec to[MAX_PIECES], *const from = m ? m->msg_iov : NULL;
    if (from)
        m->msg_iov = (struct iovec *)(uintptr_t)lend_all(
            from, m->msg_iovlen, to, GRAPH_WRITE, "recvmsg");
    const ssize_t n =
        ((ssize_t(*)(int, struct msghdr *, int))NEXT(recvmsg))(fd, m, flags);
    if (from)
        m->msg_iov = from;
    return n;
}

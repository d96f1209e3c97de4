/*
 * timed_wait.h: a test that looks at waits on futexes with a limit
 *
 * It defines timed_wait(), which is asked before each such call: true if it has
 * set the result, false to let the kernel wait.
 */
#ifndef COMMLAB_TESTS_TIMED_WAIT_H
#define COMMLAB_TESTS_TIMED_WAIT_H

#include <dlfcn.h>       /* dlsym */
#include <linux/futex.h> /* FUTEX_WAIT */
#include <stdarg.h>      /* va_list */
#include <sys/syscall.h> /* SYS_futex */
#include <time.h>        /* struct timespec */

static int timed_wait(const struct timespec *limit, long *result);

long syscall(long number, ...)
{
    static long (*_Atomic real)(long, ...);
    long a[6];
    va_list args;
    va_start(args, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(args, long);
    va_end(args);
    const struct timespec *const t = (const struct timespec *)a[3];
    long result;
    if (number == SYS_futex && a[1] == FUTEX_WAIT && t &&
        timed_wait(t, &result))
        return result;
    if (!real)
        real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

#endif

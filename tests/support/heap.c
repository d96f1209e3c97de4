#include "heap.h"

#include <pthread.h> /* pthread_create */
#include <pwd.h>     /* getpwuid */
#include <stdio.h>   /* setvbuf */
#include <time.h>    /* tzset */

#include "scarce.h"

static long nbefore;

static void *nothing(void *arg)
{
    return arg;
}

/* What the C library keeps from its first use on must not count. */
static void begin(void)
{
    static char buffer[BUFSIZ];
    pthread_t thread; // its stack is for the next one
    ck_assert_int_eq(pthread_create(&thread, NULL, nothing, NULL), 0);
    pthread_join(thread, NULL);
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    tzset();
    getpwuid((uid_t)-2); // loads what looks users up
    nbefore = scarce_held();
}

static void end(void)
{
    ck_assert_int_eq(scarce_held(), nbefore);
}

void heap_watch(TCase *t)
{
    tcase_add_checked_fixture(t, begin, end);
}

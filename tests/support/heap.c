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

/* Use what the C library allocates on first use and keeps, so that it
 * doesn't count. */
static void begin(void)
{
    static char buffer[BUFSIZ];
    pthread_t thread; // its stack is kept for the next thread
    ck_assert_int_eq(pthread_create(&thread, NULL, nothing, NULL), 0);
    pthread_join(thread, NULL);
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    tzset();
    getpwuid((uid_t)-2); // loads the libraries that look up users
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

#include "device/alone.h"

#include <pthread.h> /* pthread_mutex_t */
#include <stddef.h>  /* NULL */

#include "core/proc.h"

int alone_wanted;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t over = PTHREAD_COND_INITIALIZER;
static int nkernels;
static const void *alone; /* the kernel that is, or NULL */

void alone_begin(void)
{
    pthread_mutex_lock(&lock);
    nkernels++;
    __atomic_add_fetch(&alone_wanted, 1, __ATOMIC_SEQ_CST);
    while (alone)
        pthread_cond_wait(&over, &lock);
    __atomic_sub_fetch(&alone_wanted, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&lock);
}

/* The caller has the lock. */
static void give_up(const void *kernel)
{
    if (alone == kernel) {
        alone = NULL;
        pthread_cond_broadcast(&over);
    }
}

void alone_end(const void *kernel)
{
    pthread_mutex_lock(&lock);
    nkernels--;
    give_up(kernel);
    pthread_mutex_unlock(&lock);
}

int alone_ask(const void *kernel)
{
    pthread_mutex_lock(&lock);
    if (nkernels == 1 && simgpu_proc()->nranks == 1)
        alone = kernel;
    const int is = alone == kernel;
    pthread_mutex_unlock(&lock);
    return is;
}

void alone_yield(const void *kernel)
{
    if (alone_holds())
        return;
    pthread_mutex_lock(&lock);
    give_up(kernel);
    pthread_mutex_unlock(&lock);
}

int alone_nkernels(void)
{
    pthread_mutex_lock(&lock);
    const int n = nkernels;
    pthread_mutex_unlock(&lock);
    return n;
}

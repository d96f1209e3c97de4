/*
 * heap_registered.c: host memory that programs have registered
 */
#include <errno.h>   /* EEXIST */
#include <pthread.h> /* pthread_mutex_t */

#include "core/heap/heap.h"

enum { MAX_REGISTERED = 1024 };

static struct registered {
    char *base;
    size_t nbytes;
} registered[MAX_REGISTERED]; /* base NULL: unused entry */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The range that contains p, or NULL. The caller must hold the lock. */
static struct registered *find(const void *p)
{
    for (int i = 0; i < MAX_REGISTERED; i++)
        if (registered[i].base && (const char *)p >= registered[i].base &&
            (const char *)p < registered[i].base + registered[i].nbytes)
            return &registered[i];
    return NULL;
}

const char *heap_registered_range(const void *p, size_t *nbytes)
{
    pthread_mutex_lock(&lock);
    const struct registered *const r = find(p);
    const char *const base = r ? r->base : NULL;
    *nbytes = r ? r->nbytes : 0;
    pthread_mutex_unlock(&lock);
    return base;
}

int simgpu_heap_registered(const void *p)
{
    size_t nbytes;
    return heap_registered_range(p, &nbytes) != NULL;
}

int heap_register(void *p, size_t nbytes)
{
    struct heap_block b;
    int err = ENOMEM;
    pthread_mutex_lock(&lock);
    if (find(p) || simgpu_heap_find(p, &b) == 0)
        err = EEXIST;
    for (int i = 0; i < MAX_REGISTERED && err == ENOMEM; i++)
        if (!registered[i].base) {
            registered[i] = (struct registered){p, nbytes};
            err = 0;
        }
    pthread_mutex_unlock(&lock);
    return err;
}

int heap_unregister(void *p)
{
    pthread_mutex_lock(&lock);
    struct registered *const r = find(p);
    const int err = !r ? ENOENT : r->base != p ? EINVAL : 0;
    if (err == 0)
        r->base = NULL;
    pthread_mutex_unlock(&lock);
    return err;
}

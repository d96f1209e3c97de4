#include "cudart/kernels/static_shared.h"

#include <pthread.h> /* pthread_mutex_t */
#include <stdio.h>   /* snprintf */
#include <stdlib.h>  /* malloc */
#include <string.h>  /* strncmp */

#include "core/heap/variables.h"
#include "cudart/kernels/linked.h"

/* What C++ puts in front of the names of a function's variables. */
static void prefix_of(const char *function, char *out, size_t nbytes)
{
    if (strncmp(function, "_Z", 2) == 0)
        snprintf(out, nbytes, "_Z%sE", function + 1);
    else
        snprintf(out, nbytes, "_ZZ%zu%sE", strlen(function), function);
}

static size_t measure(const struct simgpu_kernel *k)
{
    enum { LONGEST = 4096 };
    char prefix[LONGEST];
    uintptr_t base;
    size_t function_nbytes, nbytes = 0;
    char *const name = linked_name(k->host_stub, &function_nbytes);
    const char *const path = linked_module(k->host_stub, &base);
    const struct variables *const v = path ? variables_of(path) : NULL;
    if (name && v && strlen(name) < LONGEST / 2) {
        prefix_of(name, prefix, sizeof prefix);
        nbytes = variables_local_nbytes(v, prefix);
    }
    free(name);
    return nbytes;
}

size_t static_shared(const struct simgpu_kernel *k)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct measured {
        const struct simgpu_kernel *kernel;
        size_t nbytes;
        struct measured *next;
    } * all;
    if (!k)
        return 0;
    pthread_mutex_lock(&lock);
    struct measured *m = all;
    while (m && m->kernel != k)
        m = m->next;
    if (!m) {
        m = malloc(sizeof *m);
        if (!m)
            abort();
        *m = (struct measured){k, measure(k), all};
        all = m;
    }
    pthread_mutex_unlock(&lock);
    return m->nbytes;
}

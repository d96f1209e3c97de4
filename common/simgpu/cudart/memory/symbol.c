#include "cudart/memory/symbol.h"

#include <pthread.h> /* pthread_mutex_t */
#include <stdlib.h>  /* malloc */

#include "core/heap/variables.h"
#include "cudart/kernels/linked.h"

static struct symbol { /* that the program has asked for */
    struct symbol *next;
    const char *at;
    size_t nbytes;
} * symbols;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const struct symbol *find_known(const void *symbol)
{
    pthread_mutex_lock(&lock);
    const struct symbol *s = symbols;
    while (s && s->at != symbol)
        s = s->next;
    pthread_mutex_unlock(&lock);
    return s;
}

static void add_known(const void *symbol, size_t nbytes)
{
    struct symbol *const s = malloc(sizeof *s);
    if (!s)
        abort();
    *s = (struct symbol){NULL, symbol, nbytes};
    pthread_mutex_lock(&lock);
    s->next = symbols;
    symbols = s;
    pthread_mutex_unlock(&lock);
}

/* NULL if the program has no such variable. */
static const struct symbol *find(const void *symbol)
{
    size_t nbytes;
    const struct symbol *const known = find_known(symbol);
    char *const name = known || !symbol ? NULL : linked_name(symbol, &nbytes);
    if (name)
        add_known(symbol, nbytes);
    free(name);
    return name ? find_known(symbol) : known;
}

int symbol_holds(const void *p)
{
    pthread_mutex_lock(&lock);
    const struct symbol *s = symbols;
    while (s &&
           ((const char *)p < s->at || (const char *)p >= s->at + s->nbytes))
        s = s->next;
    pthread_mutex_unlock(&lock);
    return s != NULL;
}

void *symbol_address(const void *symbol)
{
    find(symbol); // symbol_holds() knows it from now on
    return (void *)symbol;
}

int symbol_is_device(const void *symbol)
{
    uintptr_t base;
    struct variable found;
    const char *const path = find(symbol) ? linked_module(symbol, &base) : NULL;
    const struct variables *const v = path ? variables_of(path) : NULL;
    return !v || (variables_find(v, (uintptr_t)symbol - base, &found) &&
                  found.is_device);
}

int symbol_size(const void *symbol, size_t *nbytes)
{
    const struct symbol *const s = find(symbol);
    if (s)
        *nbytes = s->nbytes;
    return s != NULL;
}

enum cudaMemcpyKind symbol_kind(enum cudaMemcpyKind kind)
{
    return kind == cudaMemcpyDeviceToDevice ? cudaMemcpyDefault : kind;
}

/*
 * registry.c: kernels, by their addresses in host code
 */
#include <pthread.h>   /* pthread_mutex_t */
#include <stdatomic.h> /* atomic_load */
#include <string.h>    /* memcpy */

#include "device/launch.h"

/* All kernels of the process, registered by static
 * initialisers and by launches. */
static struct simgpu_kernel *kernels;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct simgpu_kernel *find(const void *host_stub)
{
    struct simgpu_kernel *k = kernels;
    while (k && k->host_stub != host_stub)
        k = k->next;
    return k;
}

static _Atomic int take_code;

int kernels_take_code(void)
{
    return atomic_load(&take_code);
}

void simgpu_register_kernel(struct simgpu_kernel *k)
{
    pthread_mutex_lock(&lock);
    if (k->is_code)
        atomic_store(&take_code, 1);
    if (!find(k->host_stub)) {
        k->next = kernels;
        kernels = k;
    }
    pthread_mutex_unlock(&lock);
}

static const struct simgpu_kernel *find_known(const void *host_stub)
{
    pthread_mutex_lock(&lock);
    const struct simgpu_kernel *const k = find(host_stub);
    pthread_mutex_unlock(&lock);
    return k;
}

/* The program's table of kernels. The linker defines its
 * ends if there is one. */
extern const struct listed_kernel __start_simgpu_kernels[]
    __attribute__((weak)),
    __stop_simgpu_kernels[] __attribute__((weak));

int kernels_are_listed(void)
{
    return (uintptr_t)__start_simgpu_kernels < (uintptr_t)__stop_simgpu_kernels;
}

const struct simgpu_kernel *kernel_find(const void *host_stub)
{
    const struct simgpu_kernel *const k = find_known(host_stub);
    const struct listed_kernel *l = __start_simgpu_kernels;
    if (k || !host_stub)
        return k;
    for (; (uintptr_t)l < (uintptr_t)__stop_simgpu_kernels; l++)
        if (l->host_stub == host_stub) {
            l->make_known();
            break;
        }
    return find_known(host_stub);
}

const void *kernel_of_handle(const void *handle)
{
    pthread_mutex_lock(&lock);
    const struct simgpu_kernel *k = kernels;
    while (k && k != handle)
        k = k->next;
    pthread_mutex_unlock(&lock);
    return k ? k->host_stub : NULL;
}

void kernel_rename(const void *host_stub, const char *text)
{
    pthread_mutex_lock(&lock);
    struct simgpu_kernel *const k = find(host_stub);
    if (k && k->is_template) {
        k->name = text;
        k->is_template = 0; // the first launch names it
    }
    pthread_mutex_unlock(&lock);
}

unsigned kernel_promises(const struct simgpu_kernel *k)
{
#if defined(__x86_64__)
    uint64_t before[2] = {0};
    if (k->host_stub)
        memcpy(before, (const char *)k->host_stub - sizeof before,
               sizeof before);
    return before[1] == SIMGPU_MARK ? (unsigned)before[0] : 0;
#else
    (void)k;
    return 0;
#endif
}

int simgpu_knows_kernel(const void *host_stub)
{
    return find_known(host_stub) != NULL;
}

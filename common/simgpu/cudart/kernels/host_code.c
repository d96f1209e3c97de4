#define _GNU_SOURCE
#include "cudart/kernels/host_code.h"

#include <cuda_runtime_api.h> /* cudaErrorInvalidPc */
#include <pthread.h>          /* pthread_mutex_t */
#include <stdatomic.h>        /* atomic_load */
#include <string.h>           /* memcpy */

#include "core/heap/heap.h"
#include "core/site.h"
#include "device/block.h" /* block_live */
#include "device/failure.h"

/* Functions beyond MAX_STUBS are passed as they are, and all are once devices
 * have told MAX_TOLD addresses. */
enum { MAX_STUBS = 64, MAX_TOLD = 64 };

/* The most bytes of a copy, or of a parameter, that are looked through. */
enum { MOST = 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uintptr_t told[MAX_TOLD];
static int ntold;

/* A longer copy may have told any address. */
static _Atomic int may_know_all;

#if defined(__x86_64__)

/* The function that each stub stands for, or NULL. */
__attribute__((used)) static const void *host_code_of[MAX_STUBS];

__attribute__((used)) static _Noreturn void host_code_called(int stub,
                                                             const void *pc)
{
    char where[256];
    failure_report(
        block_live->launch, cudaErrorInvalidPc, pc,
        "calls a function through a pointer of the host",
        "to the function at %s, whose code on the device has another address.\n"
        "Take the address in device code: __device__ auto f = function; then "
        "copy f\nto the host by cudaMemcpyFromSymbol(), and pass that. Or make "
        "the function a\nparameter of a template.",
        simgpu_site_text(simgpu_site((const char *)host_code_of[stub] + 1),
                         where, sizeof where));
}

/* In a kernel a stub fails, elsewhere it jumps to the function. Each stub
 * pushes its number, as in host_object.c. */
extern const char host_code_stubs[];
enum { STUB_SIZE = 16 };
__asm__(".text\n\t"
        ".balign 16\n"
        "host_code_stubs:\n\t"
        ".set host_code_i, 0\n\t"
        ".rept 64\n\t"
        ".balign 16\n\t"
        "pushq $host_code_i\n\t"
        "jmp host_code_stub\n\t"
        ".set host_code_i, host_code_i + 1\n\t"
        ".endr\n"
        "host_code_stub:\n\t"
        "movq simgpu_access_live@gottpoff(%rip), %r11\n\t"
        "cmpq $0, %fs:(%r11)\n\t"
        "popq %r11\n\t"
        "jne 1f\n\t"
        "leaq host_code_of(%rip), %rax\n\t"
        "jmp *(%rax,%r11,8)\n"
        "1:\tmovq %r11, %rdi\n\t"
        "movq (%rsp), %rsi\n\t"
        "jmp host_code_called\n\t");

/* The stub for a function, or the function itself if there is none left. */
static uintptr_t stub_of(uintptr_t function)
{
    int i = 0;
    while (i < MAX_STUBS && host_code_of[i] &&
           host_code_of[i] != (const void *)function)
        i++;
    if (i == MAX_STUBS)
        return function;
    host_code_of[i] = (const void *)function;
    return (uintptr_t)host_code_stubs + STUB_SIZE * (size_t)i;
}

/* The function that a stub stands for; any other word itself. */
static uintptr_t function_of(uintptr_t word)
{
    const uintptr_t at = word - (uintptr_t)host_code_stubs;
    return at < MAX_STUBS * STUB_SIZE && at % STUB_SIZE == 0
               ? (uintptr_t)host_code_of[at / STUB_SIZE]
               : word;
}

#else

static uintptr_t stub_of(uintptr_t function)
{
    return function;
}

static uintptr_t function_of(uintptr_t word)
{
    return word;
}

#endif

/* ---- addresses from devices ---------------------------------------------- */

static int is_told(uintptr_t p)
{
    pthread_mutex_lock(&lock);
    int i = 0;
    while (i < ntold && told[i] != p)
        i++;
    const int is = i < ntold || ntold == MAX_TOLD;
    pthread_mutex_unlock(&lock);
    return is;
}

static void tell(uintptr_t p)
{
    if (is_told(p))
        return;
    pthread_mutex_lock(&lock);
    if (ntold < MAX_TOLD)
        told[ntold++] = p;
    pthread_mutex_unlock(&lock);
}

int host_code_looks(size_t nbytes, int tells)
{
    const int looks = nbytes <= MOST || kernels_take_code();
    if (tells && !looks)
        atomic_store(&may_know_all, 1);
    return looks;
}

void host_code_told(void *bytes, size_t nbytes)
{
    for (size_t i = 0; i + sizeof(uintptr_t) <= nbytes;
         i += sizeof(uintptr_t)) {
        uintptr_t word;
        memcpy(&word, (char *)bytes + i, sizeof word);
        const uintptr_t function = function_of(word);
        if (function != word)
            memcpy((char *)bytes + i, &function, sizeof function);
        else if (site_in_program(word))
            tell(word);
    }
}

/* ---- addresses from the host --------------------------------------------- */

/* Replace a function at this address. A word that isn't known to be one may be
 * a number, unless the program is loaded at a high address. */
static void replace(char *at, int is_code)
{
    uintptr_t word;
    memcpy(&word, at, sizeof word);
    if ((!is_code && word <= UINT32_MAX) || !site_in_program(word) ||
        is_told(word) || kernel_find((const void *)word))
        return;
    pthread_mutex_lock(&lock);
    word = stub_of(word);
    pthread_mutex_unlock(&lock);
    memcpy(at, &word, sizeof word);
}

void host_code_replace_bytes(void *bytes, size_t nbytes)
{
    if (nbytes > MOST || atomic_load(&may_know_all) || heap_has_mapped())
        return;
    for (size_t i = 0; i + sizeof(uintptr_t) <= nbytes; i += sizeof(uintptr_t))
        replace((char *)bytes + i, 0);
}

void host_code_replace(const struct simgpu_kernel *k, void **params)
{
    if (!site_in_program((uintptr_t)k->call))
        return;
    for (uint32_t i = 0; i < k->nparams; i++)
        if (!k->is_code || !k->is_code[i])
            host_code_replace_bytes(params[i], k->param_nbytes[i]);
        else if (!heap_has_managed())
            replace(params[i], 1);
}

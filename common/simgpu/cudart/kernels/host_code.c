#define _GNU_SOURCE
#include "cudart/kernels/host_code.h"

#include <cuda_runtime_api.h> /* cudaErrorInvalidPc */
#include <pthread.h>          /* pthread_mutex_t */
#include <string.h>           /* memcpy */

#include "core/heap/heap.h"
#include "core/site.h"
#include "device/block.h" /* block_live */
#include "device/failure.h"

/* Functions beyond MAX_STUBS are passed as they are, and all are once devices
 * have told MAX_TOLD addresses. */
enum { MAX_STUBS = 8, MAX_TOLD = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uintptr_t told[MAX_TOLD];
static int ntold;

#if defined(__x86_64__)

/* The function that each stub stands for, or NULL. */
__attribute__((used)) static const void *host_code_of[MAX_STUBS];

__attribute__((used)) static _Noreturn void host_code_called(int stub)
{
    char where[256];
    failure_report(
        block_live->launch, cudaErrorInvalidPc, __builtin_return_address(0),
        "calls a function through a pointer of the host",
        "to the function at %s, whose code on the device has another address.\n"
        "Take the address in device code: __device__ auto f = function; then "
        "copy f\nto the host by cudaMemcpyFromSymbol(), and pass that. Or make "
        "the function a\nparameter of a template.",
        simgpu_site_text(simgpu_site((const char *)host_code_of[stub] + 1),
                         where, sizeof where));
}

/* In a kernel a stub fails, elsewhere it jumps to the function. */
#define STUB(i)                                                                \
    void host_code_stub_##i(void);                                             \
    __asm__(".text\n\t"                                                        \
            ".hidden host_code_stub_" #i "\n"                                  \
            "host_code_stub_" #i ":\n\t"                                       \
            "movq simgpu_access_live@gottpoff(%rip), %r11\n\t"                 \
            "cmpq $0, %fs:(%r11)\n\t"                                          \
            "jne 1f\n\t"                                                       \
            "jmp *8*" #i "+host_code_of(%rip)\n"                               \
            "1:\tmovl $" #i ", %edi\n\t"                                       \
            "jmp host_code_called\n\t");
STUB(0)
STUB(1)
STUB(2)
STUB(3)
STUB(4)
STUB(5)
STUB(6)
STUB(7)

/* The stub for a function, or the function itself if there is none left. */
static const void *stub_of(const void *function)
{
    static void (*const stub[MAX_STUBS])(void) = {
        host_code_stub_0, host_code_stub_1, host_code_stub_2, host_code_stub_3,
        host_code_stub_4, host_code_stub_5, host_code_stub_6, host_code_stub_7};
    int i = 0;
    while (i < MAX_STUBS && host_code_of[i] && host_code_of[i] != function)
        i++;
    if (i == MAX_STUBS)
        return function;
    host_code_of[i] = function;
    return (const void *)(uintptr_t)stub[i];
}

#else

static const void *stub_of(const void *function)
{
    return function;
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

void host_code_told(const void *bytes, size_t nbytes)
{
    if (!kernels_take_code())
        return;
    for (size_t i = 0; i + sizeof(uintptr_t) <= nbytes;
         i += sizeof(uintptr_t)) {
        uintptr_t word;
        memcpy(&word, (const char *)bytes + i, sizeof word);
        if (site_in_program(word))
            tell(word);
    }
}

void host_code_replace(const struct simgpu_kernel *k, void **params)
{
    for (uint32_t i = 0; k->is_code && i < k->nparams; i++) {
        uintptr_t word;
        if (!k->is_code[i])
            continue;
        memcpy(&word, params[i], sizeof word);
        if (!site_in_program(word) || is_told(word) || heap_has_managed())
            continue;
        pthread_mutex_lock(&lock);
        const void *const stub = stub_of((const void *)word);
        pthread_mutex_unlock(&lock);
        memcpy(params[i], &stub, sizeof stub);
    }
}

/*
 * fault.c: accesses to device memory that the hardware catches for us
 *
 * A user view is inaccessible. When a thread that runs a kernel touches an
 * allocation, the fault handler opens it and the access is repeated; when the
 * last kernel has ended, what was opened is closed again. Any other thread
 * that faults there is host code that dereferences device memory: on a real
 * GPU it would crash as well, with less to say.
 */
#define _GNU_SOURCE
#include <pthread.h>  /* pthread_mutex_t */
#include <signal.h>   /* sigaction */
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* malloc */
#include <sys/mman.h> /* mprotect */
#include <ucontext.h> /* ucontext_t */

#include "core/dataless.h"
#include "core/heap_space.h"
#include "core/start.h"

enum { MAX_OPEN = 256, ALT_STACK = 256 << 10 };

/* Allocations that kernels have opened, and how many kernels run. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct heap_block opened[MAX_OPEN];
static int nopened, nkernels;
static struct sigaction previous[2]; /* of SIGSEGV and SIGBUS */

static _Thread_local const char *kernel; /* running on this thread, or NULL */
static _Thread_local int kernel_device;

static void close_all(void)
{
    for (int i = 0; i < nopened; i++)
        heap_protect(&opened[i], 0);
    nopened = 0;
}

void heap_kernel_enter(const char *name, int device)
{
    pthread_mutex_lock(&lock);
    nkernels++;
    pthread_mutex_unlock(&lock);
    kernel = name;
    kernel_device = device;
}

void heap_kernel_leave(void)
{
    kernel = NULL;
    pthread_mutex_lock(&lock);
    if (--nkernels == 0)
        close_all();
    pthread_mutex_unlock(&lock);
}

/* Where the program was when it faulted. */
static const void *fault_pc(const void *context)
{
    const ucontext_t *const u = context;
#if defined(__x86_64__)
    return (const void *)(u->uc_mcontext.gregs[REG_RIP] + 1);
#elif defined(__aarch64__)
    return (const void *)(u->uc_mcontext.pc + 1);
#else
    (void)u;
    return NULL;
#endif
}

static _Noreturn void report(const void *p, const void *context)
{
    char what[512], where[256];
    heap_describe(p, what, sizeof what);
    graph_site_text(proc()->graph, proc_site(fault_pc(context)), where,
                    sizeof where);
    struct heap_block b;
    if (kernel && heap_find(p, &b) == 0)
        dataless_fault(kernel, proc_site(fault_pc(context)),
                       "this kernel reaches memory without contents, by a "
                       "pointer that is none of its parameters");
    if (kernel)
        proc_fault(NULL,
                   "kernel %s on device %d accesses %p at %s:\n  %s.\nCheck "
                   "the index against the number of elements.",
                   kernel, kernel_device, p, where, what);
    proc_fault(NULL,
               "host code at %s touches device memory %p:\n  %s.\nThe host "
               "cannot dereference device pointers: copy with cudaMemcpy.",
               where, p, what);
}

static void open_block(const struct heap_block *b)
{
    pthread_mutex_lock(&lock);
    if (nopened < MAX_OPEN)
        opened[nopened++] = *b; // the rest stays open: a missed check at worst
    heap_protect(b, 1);
    pthread_mutex_unlock(&lock);
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
    const void *const p = info->si_addr;
    struct heap_block b;
    if (space_slot(p) < 0) { // not ours: as if we had not been here
        sigaction(sig, &previous[sig == SIGBUS], NULL);
        return;
    }
    if (kernel && heap_find(p, &b) == 0 && !dataless(b.id))
        open_block(&b);
    else
        report(p, context);
}

void heap_thread_start(void)
{
    static _Thread_local int done;
    if (done)
        return;
    done = 1;
    // Kernels run on small stacks; the handler needs room of its own.
    const stack_t stack = {.ss_sp = malloc(ALT_STACK), .ss_size = ALT_STACK};
    if (stack.ss_sp)
        sigaltstack(&stack, NULL);
}

void heap_start(void)
{
    struct sigaction action = {.sa_sigaction = on_fault,
                               .sa_flags =
                                   SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &previous[0]);
    sigaction(SIGBUS, &action, &previous[1]);
    heap_thread_start();
}

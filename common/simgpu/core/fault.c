#define _GNU_SOURCE
#include "core/fault.h"

#include <pthread.h>  /* pthread_mutex_t */
#include <signal.h>   /* sigaction */
#include <stdio.h>    /* snprintf */
#include <ucontext.h> /* ucontext_t */

#include "core/dataless.h"
#include "core/heap.h"
#include "core/heap_space.h"
#include "core/report.h"
#include "core/site.h"
#include "core/thread.h"

enum { MAX_OPEN = 256 };

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

void fault_kernel_enter(const char *name, int device)
{
    pthread_mutex_lock(&lock);
    nkernels++;
    pthread_mutex_unlock(&lock);
    kernel = name;
    kernel_device = device;
}

void fault_kernel_leave(void)
{
    kernel = NULL;
    pthread_mutex_lock(&lock);
    if (--nkernels == 0)
        close_all();
    pthread_mutex_unlock(&lock);
}

/* The instruction that faulted. */
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
    simgpu_heap_describe(p, what, sizeof what);
    graph_site_text(simgpu_proc()->graph, simgpu_site(fault_pc(context)), where,
                    sizeof where);
    struct heap_block b;
    if (kernel && simgpu_heap_find(p, &b) == 0)
        simgpu_dataless_fault(
            kernel, simgpu_site(fault_pc(context)),
            "this kernel reaches memory without contents through a "
            "pointer that is not one of its parameters");
    if (kernel)
        simgpu_report_fault(
            NULL,
            "kernel %s on device %d accesses %p at %s:\n  %s.\nCheck "
            "the index against the number of elements.",
            kernel, kernel_device, p, where, what);
    simgpu_report_fault(
        NULL,
        "host code at %s touches device memory %p:\n  %s.\nThe host "
        "cannot dereference device pointers: copy with cudaMemcpy.",
        where, p, what);
}

static void open_block(const struct heap_block *b)
{
    pthread_mutex_lock(&lock);
    if (nopened < MAX_OPEN)
        opened[nopened++] = *b; // others stay open: at worst a check is missed
    heap_protect(b, 1);
    pthread_mutex_unlock(&lock);
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
    const void *const p = info->si_addr;
    struct heap_block b;
    if (space_slot(p) < 0) { // not ours: the previous handler gets it
        sigaction(sig, &previous[sig == SIGBUS], NULL);
        return;
    }
    if (kernel && simgpu_heap_find(p, &b) == 0 && !dataless(b.id))
        open_block(&b);
    else
        report(p, context);
}

void fault_start(void)
{
    struct sigaction action = {.sa_sigaction = on_fault,
                               .sa_flags =
                                   SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &previous[0]);
    sigaction(SIGBUS, &action, &previous[1]);
    thread_add_signal_stack();
}

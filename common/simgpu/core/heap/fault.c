#define _GNU_SOURCE
#include "core/heap/fault.h"

#include <execinfo.h> /* backtrace */
#include <pthread.h>  /* pthread_mutex_t */
#include <signal.h>   /* sigaction */
#include <stdio.h>    /* snprintf */
#include <string.h>   /* sigabbrev_np */
#include <sys/mman.h> /* pkey_alloc */
#include <ucontext.h> /* ucontext_t */
#include <unistd.h>   /* getpid */

#include "core/heap/dataless.h"
#include "core/heap/divide.h"
#include "core/heap/heap.h"
#include "core/heap/heap_space.h"
#include "core/heap/step.h"
#include "core/report.h"
#include "core/site.h"
#include "core/thread.h"
#include "graph/record/site.h"

enum { MAX_OPEN = 256, MAX_FRAMES = 64 };

/* The protection key of allocations that kernels have opened. A thread may
 * touch them while it runs a kernel; other threads never may. -1: this
 * processor has no keys. */
static int key = -1;

/*
 * Without a key: the allocations that are open to all threads, and the number
 * of running kernels. Opening and closing an allocation takes longer than many
 * kernels. It therefore stays open for the stream's next kernel, until the
 * stream has no work left or the host has waited for work (fault_rest()). If
 * the host touches it in between, when kernels may be running anyway, that is
 * not detected.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct heap_block opened[MAX_OPEN];
static _Atomic int nopened;
static int nkernels;

static _Thread_local const char *kernel; /* running on this thread, or NULL */
static _Thread_local int kernel_device;
static _Thread_local uint32_t kernel_site; /* where it was launched */
static _Thread_local void (*order)(void);  /* fault_set_order() */

static void close_all(void)
{
    for (int i = 0; i < nopened; i++)
        heap_protect(&opened[i], PROT_NONE, -1);
    nopened = 0;
}

void fault_kernel_enter(const char *name, int device, uint32_t site)
{
    kernel = name;
    kernel_device = device;
    kernel_site = site;
    if (key >= 0) {
        pkey_set(key, 0);
        return;
    }
    pthread_mutex_lock(&lock);
    if (nkernels++ == 0 && nopened > MAX_OPEN / 2)
        close_all(); // makes space for what this kernel opens
    pthread_mutex_unlock(&lock);
}

void fault_kernel_leave(void)
{
    kernel = NULL;
    if (key >= 0) {
        pkey_set(key, PKEY_DISABLE_ACCESS);
        return;
    }
    pthread_mutex_lock(&lock);
    nkernels--;
    pthread_mutex_unlock(&lock);
}

void fault_set_order(void (*wait)(void))
{
    order = wait;
}

void fault_in_order(void)
{
    if (order)
        order();
}

void fault_rest(void)
{
    if (nopened == 0)
        return;
    pthread_mutex_lock(&lock);
    if (nkernels == 0)
        close_all();
    pthread_mutex_unlock(&lock);
}

struct registers {
    uintptr_t pc, sp; /* 0: unknown on this processor */
};

/* The registers of the code that a signal interrupted. */
static struct registers interrupted(const void *context)
{
    const ucontext_t *const u = context;
#if defined(__x86_64__)
    const greg_t *const r = u->uc_mcontext.gregs;
    return (struct registers){(uintptr_t)r[REG_RIP], (uintptr_t)r[REG_RSP]};
#elif defined(__aarch64__)
    return (struct registers){u->uc_mcontext.pc, u->uc_mcontext.sp};
#else
    (void)u;
    return (struct registers){0};
#endif
}

/* The address behind the instruction that faulted, like the
 * return address of a call. */
static const void *fault_pc(const void *context)
{
    const uintptr_t pc = interrupted(context).pc;
    return pc ? (const void *)(pc + 1) : NULL;
}

/* True for an access near the stack pointer, which can only
 * fault at the stack's end. */
static int is_stack(const void *p, const void *context)
{
    enum { NEAR = 64 << 10 }; // size of a new frame
    const uintptr_t sp = interrupted(context).sp;
    return sp && (uintptr_t)p < sp + NEAR && (uintptr_t)p + NEAR > sp;
}

static _Noreturn void report(const void *p, const void *context)
{
    char what[512], where[256], launch[256];
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
            "kernel %s on device %d accesses %s at %s:\n  %s.\n%s\nIt was "
            "launched at %s.",
            kernel, kernel_device, simgpu_pointer_text(p).text, where, what,
            simgpu_heap_is_freed(p) ? FAULT_FREED : FAULT_INDEX,
            simgpu_site_text(kernel_site, launch, sizeof launch));
    simgpu_report_fault(
        NULL,
        "host code at %s touches device memory %s:\n  %s.\nThe host "
        "cannot dereference device pointers: copy with cudaMemcpy.",
        where, simgpu_pointer_text(p).text, what);
}

/* Describe an address outside device memory: "The pointer is NULL", ... */
static const char *describe_host(const void *p)
{
    enum { PAGE = 4096 };
    return (uintptr_t)p < PAGE
               ? "The pointer is NULL, or an offset from NULL: it was not set, "
                 "or the call\nthat should set it failed."
               : "The address belongs to no memory: an index out of bounds, or "
                 "a pointer that\nwas not set or that was freed.";
}

/* Signals that don't concern memory; the last entry stands for any other. */
static const struct crash {
    int sig;
    const char *what, *advice;
} crashes[] = {
    {SIGFPE, "division by zero, or overflow of one,",
     "Check the divisor: a size or number of ranks that is 0?"},
    {SIGILL, "an illegal instruction",
     "The compiler puts one where code must never arrive: where it can see "
     "that "
     "a pointer\nis NULL, at __builtin_trap(), at __builtin_unreachable()."},
    {SIGABRT, "abort()",
     "An assertion failed, or memory around a malloc() is damaged: what is "
     "printed\nabove says which."},
};

/* Report a crash of the program itself, with the student's line. */
static _Noreturn void report_crash(int sig, const siginfo_t *info,
                                   const void *context)
{
    void *frame[MAX_FRAMES];
    char where[256], launch[256];
    const int n = backtrace(frame, MAX_FRAMES);
    for (int i = 0; i < n; i++) // the other frames are return addresses
        if ((const char *)frame[i] + 1 == (const char *)fault_pc(context))
            frame[i] = (char *)frame[i] + 1;
    site_of_student(frame, n, where, sizeof where);
    const int is_access = sig == SIGSEGV || sig == SIGBUS;
    if (is_access && is_stack(info->si_addr, context))
        simgpu_report_fault(
            NULL,
            "%s%s: the stack of %s is full in %s.\nA recursion that does not "
            "end, or local arrays too large for it?",
            kernel ? "kernel " : "host code", kernel ? kernel : "",
            kernel ? "a device thread" : "this thread", where);
    if (kernel && is_access)
        simgpu_report_fault(
            NULL,
            "kernel %s on device %d accesses %s at %s:\n  not "
            "device memory.\nPass it pointers from "
            "cudaMalloc, and check them and the indices.\nIt "
            "was launched at %s.",
            kernel, kernel_device, simgpu_pointer_text(info->si_addr).text,
            where, simgpu_site_text(kernel_site, launch, sizeof launch));
    if (is_access)
        simgpu_report_fault(
            NULL, "segmentation fault in %s: it accesses %s.\n%s", where,
            info->si_addr ? "memory that is not there" : "address 0 (NULL)",
            describe_host(info->si_addr));
    const struct crash *c = crashes;
    while (c->sig != sig && c->sig != SIGABRT)
        c++;
    simgpu_report_fault(NULL, "%s in %s.\n%s", c->what, where, c->advice);
}

/* Report a signal that no instruction caused, with the line where it came. */
static _Noreturn void report_sent(int sig, const siginfo_t *info)
{
    void *frame[MAX_FRAMES];
    char where[256], sender[64] = "a process that this one cannot see";
    site_of_student(frame, backtrace(frame, MAX_FRAMES), where, sizeof where);
    if (info->si_pid == getpid())
        snprintf(sender, sizeof sender, "the program itself, with raise()");
    else if (info->si_pid)
        snprintf(sender, sizeof sender, "process %d", (int)info->si_pid);
    simgpu_report_fault(
        NULL,
        "SIG%s (signal %d) was sent by %s, while this thread was in %s.\nNo "
        "instruction of the program caused it: look for a kill, a debugger or "
        "a batch system.",
        sigabbrev_np(sig), sig, sender, where);
}

/* True if a process sent the signal. abort() sends SIGABRT to its own. */
static int was_sent(int sig, const siginfo_t *info)
{
    return (info->si_code == SI_USER || info->si_code == SI_TKILL) &&
           !(sig == SIGABRT && info->si_pid == getpid());
}

static void open_block(const struct heap_block *b)
{
    pthread_mutex_lock(&lock);
    if (key < 0 && nopened < MAX_OPEN)
        // the others stay open, at worst missing an error
        opened[nopened++] = *b;
    heap_protect(b, PROT_READ | PROT_WRITE, key);
    pthread_mutex_unlock(&lock);
}

/* True if the thread has divided an integer by zero and may continue. A
 * kernel continues as on a GPU, with a warning; host code continues if
 * the processor lets it. */
static int divided_by_zero(int sig, void *context)
{
    const uint32_t site = simgpu_site(fault_pc(context));
    if (!kernel)
        return divide_as_host(sig, context);
    if (key >= 0) // a handler begins without it; the divisor may be in the heap
        pkey_set(key, 0);
    if (!divide_as_gpu(sig, context))
        return 0;
    simgpu_report_warning(
        site,
        "kernel %s divides an integer by zero, or the least one by "
        "-1: a GPU continues with a result that means nothing",
        kernel);
    return 1;
}

/* ---- memory that is protected for a while -------------------------------- */

static fault_touched *_Atomic touched;

uint32_t fault_site(const void *context)
{
    void *frame[MAX_FRAMES];
    const int n = backtrace(frame, MAX_FRAMES);
    const char *const pc = fault_pc(context);
    int at = 0;
    while (at < n && (const char *)frame[at] + 1 != pc)
        at++;
    if (at == n)
        return simgpu_site(pc);
    frame[at] = (char *)frame[at] + 1; // the others are return addresses
    return site_of_frames((const void *const *)&frame[at], n - at);
}

static int is_watched(int sig, const siginfo_t *info, void *context)
{
    return sig == SIGSEGV && info->si_code == SEGV_ACCERR && touched &&
           touched(info->si_addr, step_is_write(context), kernel != NULL,
                   context);
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
    const void *const p = info->si_addr;
    if (was_sent(sig, info))
        report_sent(sig, info);
    if (is_watched(sig, info, context))
        return;
    const int is_device =
        (sig == SIGSEGV || sig == SIGBUS) && space_slot(p) >= 0;
    struct heap_block b;
    if (is_device && kernel && simgpu_heap_find(p, &b) == 0 && !dataless(b.id))
        return open_block(&b);
    fault_in_order();
    if (divided_by_zero(sig, context))
        return;
    if (is_device)
        report(p, context);
    report_crash(sig, info, context);
}

int fault_set_watch(fault_touched *watch)
{
    struct sigaction now;
    touched = watch;
    return sigaction(SIGSEGV, NULL, &now) == 0 && now.sa_sigaction == on_fault;
}

void fault_start(void)
{
    struct sigaction action = {.sa_sigaction = on_fault,
                               .sa_flags =
                                   SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
    void *frame[1];
    backtrace(frame, 1); // loads the unwinder, which a handler must not do
    thread_add_signal_stack();
    key = pkey_alloc(0, PKEY_DISABLE_ACCESS);
}

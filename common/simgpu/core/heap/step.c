#define _GNU_SOURCE
#include "core/heap/step.h"

#include <signal.h>   /* sigaction */
#include <string.h>   /* memcpy */
#include <ucontext.h> /* ucontext_t */

#if defined(__x86_64__)

enum { TRAP_FLAG = 0x100, ERR_WRITE = 2 };
enum { MAX_STEPPED = 8 }; /* pages that one instruction touches */

static _Thread_local struct {
    char *page;
    void (*done)(char *page);
} stepped[MAX_STEPPED];
static _Thread_local int nstepped;

int step_is_write(const void *context)
{
    const ucontext_t *const u = context;
    return (u->uc_mcontext.gregs[REG_ERR] & ERR_WRITE) != 0;
}

static void set_trap(void *context, int on)
{
    greg_t *const flags = &((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL];
    *flags = on ? *flags | TRAP_FLAG : *flags & ~TRAP_FLAG;
}

/* The instruction has been executed. */
static void on_trap(int sig, siginfo_t *info, void *context)
{
    (void)info;
    if (nstepped == 0) { // it is the program's own
        signal(sig, SIG_DFL);
        raise(sig);
        return;
    }
    set_trap(context, 0);
    while (nstepped > 0) {
        nstepped--;
        stepped[nstepped].done(stepped[nstepped].page);
    }
}

int step_over(char *page, void *context, void (*done)(char *page))
{
    static _Atomic int is_ready;
    const struct sigaction action = {.sa_sigaction = on_trap,
                                     .sa_flags = SA_SIGINFO | SA_ONSTACK};
    if (nstepped == MAX_STEPPED ||
        sigismember(&((ucontext_t *)context)->uc_sigmask, SIGTRAP) ||
        (!is_ready && sigaction(SIGTRAP, &action, NULL) != 0))
        return 0;
    is_ready = 1;
    stepped[nstepped].page = page;
    stepped[nstepped++].done = done;
    set_trap(context, 1);
    return 1;
}

#else

#if defined(__aarch64__)

/* The syndrome of the fault is in a record behind the registers. */
int step_is_write(const void *context)
{
    enum { ESR_WRITE = 1 << 6 };
    const ucontext_t *const u = context;
    const char *at = (const char *)u->uc_mcontext.__reserved;
    for (;;) {
        struct _aarch64_ctx head;
        memcpy(&head, at, sizeof head);
        if (head.magic == 0 || head.size == 0)
            return 0;
        if (head.magic == ESR_MAGIC) {
            struct esr_context esr;
            memcpy(&esr, at, sizeof esr);
            return (esr.esr & ESR_WRITE) != 0;
        }
        at += head.size;
    }
}

#else

int step_is_write(const void *context)
{
    (void)context;
    return 0;
}

#endif

int step_over(char *page, void *context, void (*done)(char *page))
{
    (void)page;
    (void)context;
    (void)done;
    return 0;
}

#endif

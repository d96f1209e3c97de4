#include "core/thread.h"

#include <pthread.h> /* pthread_key_t */
#include <signal.h>  /* sigaltstack */
#include <stdlib.h>  /* malloc */

#include "core/control.h"
#include "core/polls.h"

enum { SIGNAL_STACK = 256 << 10 };

static _Atomic uint32_t nthreads;
static _Thread_local uint32_t number; /* 1 + the number; UINT32_MAX: a worker */
static _Thread_local int has_signal_stack;
/* for their destructors: of host threads, and of threads with a signal stack */
static pthread_key_t key, stack_key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

static void thread_ended(void *unused)
{
    (void)unused;
    poll_over();
    control_active(-1);
}

static void free_signal_stack(void *stack)
{
    sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
    free(stack);
}

static void make_keys(void)
{
    pthread_key_create(&key, thread_ended);
    pthread_key_create(&stack_key, free_signal_stack);
}

void thread_enter(void)
{
    if (number != 0)
        return;
    pthread_once(&key_once, make_keys);
    pthread_setspecific(key, &nthreads);
    number = ++nthreads;
    control_active(+1);
    thread_add_signal_stack();
}

uint32_t thread_number(void)
{
    if (number == 0) {
        simgpu_proc();
        thread_enter();
    }
    return number - 1;
}

uint32_t thread_reserve(void)
{
    return ++nthreads;
}

uint32_t thread_adopt(uint32_t reserved)
{
    const uint32_t was = number;
    number = reserved;
    return was;
}

void thread_become_worker(void)
{
    number = UINT32_MAX;
    thread_add_signal_stack();
}

uint32_t thread_or_worker(void)
{
    return number == UINT32_MAX ? UINT32_MAX : thread_number();
}

void thread_add_signal_stack(void)
{
    if (has_signal_stack)
        return;
    has_signal_stack = 1;
    pthread_once(&key_once, make_keys);
    const stack_t stack = {.ss_sp = malloc(SIGNAL_STACK),
                           .ss_size = SIGNAL_STACK};
    if (!stack.ss_sp)
        return;
    sigaltstack(&stack, NULL);
    pthread_setspecific(stack_key, stack.ss_sp);
}

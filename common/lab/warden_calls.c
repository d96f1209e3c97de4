/*
 * warden_calls.c: a rank can't look as if it had been killed from outside
 *
 * A rank may still fault (SIGSEGV, SIGABRT, ...) and exit. It may not send
 * signals to other processes, nor make calls that bring on itself one of the
 * signals that people, shells and kernels short of memory send.
 */
#include <errno.h>         /* EPERM */
#include <fcntl.h>         /* F_SETSIG */
#include <linux/audit.h>   /* AUDIT_ARCH_X86_64 */
#include <linux/filter.h>  /* struct sock_filter */
#include <linux/seccomp.h> /* struct seccomp_data */
#include <signal.h>        /* SIGKILL */
#include <stddef.h>        /* offsetof */
#include <sys/prctl.h>     /* prctl */
#include <sys/resource.h>  /* RLIMIT_CPU */
#include <sys/syscall.h>   /* SYS_kill */
#include <unistd.h>        /* getpid */

#include "lab/warden.h"

#ifndef F_SETSIG
#define F_SETSIG 10 /* from fcntl.h with _GNU_SOURCE */
#endif
#ifdef __x86_64__
#define THIS_ARCH AUDIT_ARCH_X86_64
#else
#define THIS_ARCH AUDIT_ARCH_AARCH64
#endif

/* OTHER_ABI: the start of x32's numbers for the same calls. */
enum { MOST = 256, OTHER_ABI = 0x40000000 };

static struct sock_filter code[MOST];
static unsigned ncode;

static void add(unsigned short what, unsigned value, unsigned char yes,
                unsigned char no)
{
    code[ncode++] = (struct sock_filter)BPF_JUMP(what, value, yes, no);
}

static void load(size_t at)
{
    add(BPF_LD | BPF_W | BPF_ABS, (unsigned)at, 0, 0);
}

static void load_arg(int i)
{
    load(offsetof(struct seccomp_data, args) + 8 * (size_t)i); // its low half
}

static void give(unsigned result)
{
    add(BPF_RET | BPF_K, result, 0, 0);
}

static void refuse(int why)
{
    give(SECCOMP_RET_ERRNO | (unsigned)why);
}

/* Start the rules for call number nr; they end at end_call(). */
static unsigned begin_call(long nr)
{
    load(offsetof(struct seccomp_data, nr));
    add(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)nr, 0, 0);
    return ncode - 1;
}

static void end_call(unsigned begin)
{
    give(SECCOMP_RET_ALLOW);
    code[begin].jf = (unsigned char)(ncode - begin - 1);
}

static void refuse_if(unsigned value, int why)
{
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    refuse(why);
}

/*
 * Restrict a call that sends a signal: arguments `to` and `sig` are the
 * positions of process and signal. It may only signal the process itself, and
 * not with a signal that comes from outside.
 */
static void restrict_signal(long nr, int to, int sig)
{
    static const int outside[] = {SIGKILL, SIGTERM, SIGINT,  SIGHUP, SIGQUIT,
                                  SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU};
    const unsigned begin = begin_call(nr);
    load_arg(to);
    add(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)getpid(), 1, 0);
    refuse(EPERM);
    load_arg(sig);
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
        refuse_if((unsigned)outside[i], EPERM);
    end_call(begin);
}

static void restrict_value(long nr, int arg, unsigned value)
{
    const unsigned begin = begin_call(nr);
    load_arg(arg);
    refuse_if(value, EPERM);
    end_call(begin);
}

static void refuse_call(long nr, int why)
{
    const unsigned begin = begin_call(nr);
    refuse(why);
    end_call(begin);
}

/*
 * Allow threads and plain forks only: a child must not send its parent another
 * signal when it ends. clone3() is refused, since its flags are in memory;
 * libraries fall back to clone().
 */
static void restrict_clone(void)
{
    const unsigned begin = begin_call(SYS_clone);
    load_arg(0);
    add(BPF_ALU | BPF_AND | BPF_K, 0xFF, 0, 0);
    add(BPF_JMP | BPF_JEQ | BPF_K, 0, 2, 0);
    add(BPF_JMP | BPF_JEQ | BPF_K, SIGCHLD, 1, 0);
    refuse(EPERM);
    end_call(begin);
    refuse_call(SYS_clone3, ENOSYS);
}

int warden_restrict(void)
{
    ncode = 0;
    load(offsetof(struct seccomp_data, arch));
    add(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCH, 1, 0);
    refuse(ENOSYS);
    load(offsetof(struct seccomp_data, nr));
    add(BPF_JMP | BPF_JGE | BPF_K, OTHER_ABI, 0, 1);
    refuse(ENOSYS);
    restrict_signal(SYS_kill, 0, 1);
    restrict_signal(SYS_tgkill, 0, 2);
    restrict_signal(SYS_rt_sigqueueinfo, 0, 1);
    restrict_signal(SYS_rt_tgsigqueueinfo, 0, 2);
    refuse_call(SYS_tkill, EPERM);
    refuse_call(SYS_pidfd_send_signal, EPERM);
    refuse_call(SYS_timer_create, EPERM);
    refuse_call(SYS_mq_notify, EPERM);
    restrict_value(SYS_fcntl, 1, F_SETSIG);
    restrict_value(SYS_setrlimit, 0, RLIMIT_CPU);
    restrict_value(SYS_prlimit64, 1, RLIMIT_CPU);
    restrict_value(SYS_prctl, 0, PR_SET_PDEATHSIG);
    restrict_clone();
    give(SECCOMP_RET_ALLOW);
    const struct sock_fprog all = {(unsigned short)ncode, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all);
}

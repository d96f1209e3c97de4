/*
 * test_fault.c: crashes of host code and of kernels, compared with golden.txt
 *
 * The functions of protection keys are this file's, so that a processor with
 * keys and one without are tested on each.
 */
#define _GNU_SOURCE
#include <check.h>
#include <pthread.h> /* pthread_create */
#include <signal.h>  /* siginfo_t */
#include <stdlib.h>  /* abort */
#include <string.h>  /* strstr */
#include <sys/mman.h>
#include <sys/resource.h> /* setrlimit */
#include <sys/syscall.h>  /* SYS_rt_tgsigqueueinfo */
#include <ucontext.h>     /* makecontext */

#include "core/heap/fault.h"
#include "core/heap/heap.h"
#include "core/site.h"
#include "core/thread.h"
#include "golden.h"
#include "ranks.h"
#include "suite.h"

#if defined(__x86_64__)

enum { PAGE = 4096, NEAR = 64 << 10 };
static const char golden[] = "tests/core/golden.txt#fault";

/* ---- protection keys ----------------------------------------------------- */

enum { KEY = 0 }; /* the least */
static int has_keys, rights = -1;
static _Atomic int nopened, nclosed; /* calls that did so */

int pkey_alloc(unsigned flags, unsigned access)
{
    MUST(flags == 0 && access == PKEY_DISABLE_ACCESS);
    return has_keys ? KEY : -1;
}

int pkey_set(int key, unsigned access)
{
    MUST(key == KEY);
    rights = (int)access;
    return 0;
}

int pkey_mprotect(void *p, size_t nbytes, int prot, int key)
{
    MUST(key == (has_keys && prot ? KEY : -1));
    ++*(prot ? &nopened : &nclosed);
    return mprotect(p, nbytes, prot);
}

/* ---- crashes ------------------------------------------------------------- */

/* The line of the crash. Messages are compared with HERE in its place, and
 * THERE in the place of other lines. */
#define HERE() fprintf(stderr, "%d\n", __LINE__ + 2)

static char *alloc(size_t nbytes)
{
    void *p;
    MUST(simgpu_heap_alloc(0, nbytes, HEAP_ORDINARY, CALLER_SITE(), &p) == 0);
    return p;
}

/* One byte of code, with others before and behind it on other lines. */
__attribute__((noinline)) static void touch(const void *p)
{
    HERE();
    __asm__ volatile("nop");
    __asm__ volatile("lodsb" ::"S"(p) : "eax");
    __asm__ volatile("nop");
}

/* Another function for the line of a launch. */
__attribute__((noinline)) static uint32_t launch_site(void)
{
    return graph_site(simgpu_proc()->graph, (char *)&touch + 1);
}

static void run_kernel(void)
{
    fault_kernel_enter("kern", 1, launch_site());
}

static void touches_device(void)
{
    touch(alloc(100) + 40);
}

static void touches_behind(void)
{
    touch(alloc(100) + 2 * PAGE);
}

static void touches_freed(void)
{
    char *const p = alloc(100);
    simgpu_heap_free(p);
    touch(p + 40);
}

static void touches_dataless(void)
{
    setenv("SIMGPU_DATALESS", "1K", 1);
    touch(alloc(1024));
}

static long at; /* the address that is touched, or how far from the stack */

static void touches_at(void)
{
    touch((void *)at);
}

/* Memory of a file behind its end. */
static void touches_hole(void)
{
    char *const p =
        mmap(NULL, PAGE, PROT_READ, MAP_SHARED, memfd_create("hole", 0), 0);
    MUST(p != MAP_FAILED);
    touch(p);
}

static void divides(void)
{
    static volatile int zero;
    HERE();

    MUST(100 / zero == -1); // as on a GPU
}

static void raises(void)
{
    HERE();

    raise(SIGFPE);
    __asm__ volatile("nop"); // not a jump to raise()
}

static void traps(void)
{
    HERE();

    __asm__ volatile("ud2");
}

static void aborts(void)
{
    HERE();

    abort();
}

/* Get a signal as of an access to p, or of code there. */
static inline __attribute__((always_inline)) void get(int sig, void *p)
{
    siginfo_t info = {.si_signo = sig, .si_code = SI_QUEUE};
    info.si_addr = p;
    const long pid = getpid(), tid = gettid();
    register siginfo_t *r10 __asm__("r10") = &info;
    long err = SYS_rt_tgsigqueueinfo;
    __asm__ volatile("syscall\n\tnop"
                     : "+a"(err)
                     : "D"(pid), "S"(tid), "d"((long)sig), "r"(r10)
                     : "rcx", "r11", "memory");
    MUST(err == 0);
}

static void traps_at_device(void)
{
    HERE();

    get(SIGILL, alloc(100));
}

static void bus_error_at_device(void)
{
    HERE();

    get(SIGBUS, alloc(100) + 7);
}

/* ---- stacks -------------------------------------------------------------- */

static volatile int deeper = 1;

__attribute__((noinline)) static int recurses(volatile char *above)
{
    volatile char frame[1000];
    frame[0] = *above;
    return deeper ? recurses(frame) + frame[0] : 0;
}

static void overflows(void)
{
    char first = 0;
    const struct rlimit little = {1 << 20, 1 << 20};
    MUST(setrlimit(RLIMIT_STACK, &little) == 0);
    HERE();
    recurses(&first);
}

static void *overflows_beside(void *unused)
{
    thread_become_worker();
    overflows();
    return unused;
}

static void overflows_worker(void)
{
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, overflows_beside, NULL) == 0);
    pthread_join(thread, NULL);
}

/* On a small stack, with nothing near to it: an access so far from the stack
 * pointer. */
static void touches_near(void)
{
    HERE();

    __asm__ volatile("lea (%%rsp,%0), %%rsi\n\tlodsb" ::"r"(at) : "rsi", "eax");
}

static void touches_near_stack(void)
{
    enum { STACK = 32 << 10, GAP = 1 << 20 };
    static ucontext_t on_it, back;
    char *const all = mmap(NULL, 2 * GAP + STACK, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MUST(all != MAP_FAILED &&
         mprotect(all + GAP, STACK, PROT_READ | PROT_WRITE) == 0);
    getcontext(&on_it);
    on_it.uc_stack.ss_sp = all + GAP;
    on_it.uc_stack.ss_size = STACK;
    on_it.uc_link = &back;
    makecontext(&on_it, touches_near, 0);
    swapcontext(&back, &on_it);
}

/* ---- reports ------------------------------------------------------------- */

enum { HOST = 1, KERNEL = 2 };

static const struct crash {
    const char *name;
    void (*crashes)(void);
    int of; /* host code, kernels, or both */
    long at;
} crashes[] = {
    {"device memory", touches_device, HOST, 0},
    {"behind an allocation", touches_behind, HOST | KERNEL, 0},
    {"freed memory", touches_freed, HOST | KERNEL, 0},
    {"dataless memory", touches_dataless, HOST | KERNEL, 0},
    {"a bus error in device memory", bus_error_at_device, HOST, 0},
    {"NULL", touches_at, HOST | KERNEL, 0},
    {"the end of page 0", touches_at, HOST, PAGE - 1},
    {"page 1", touches_at, HOST, PAGE},
    {"a hole", touches_hole, HOST | KERNEL, 0},
    {"a division by 0", divides, HOST | KERNEL, 0},
    {"a signal of the FPU", raises, HOST | KERNEL, 0},
    {"a trap", traps, HOST | KERNEL, 0},
    {"a trap at device memory", traps_at_device, HOST | KERNEL, 0},
    {"an abort", aborts, HOST | KERNEL, 0},
    {"a stack", overflows, HOST | KERNEL, 0},
    {"a worker's stack", overflows_worker, HOST, 0},
    {"below a stack", touches_near_stack, HOST, 1 - NEAR},
    {"far below a stack", touches_near_stack, HOST, -NEAR},
    {"above a stack", touches_near_stack, HOST, NEAR - 1},
    {"far above a stack", touches_near_stack, HOST, NEAR},
};

static void is_in_order(void)
{
    fprintf(stderr, "in order\n");
}

static void crashes_as_told(struct shared *s)
{
    fault_in_order(); // there is none yet
    fault_set_order(is_in_order);
    if (s->pong == KERNEL)
        run_kernel();
    at = crashes[s->ping].at;
    crashes[s->ping].crashes();
    fprintf(stderr, "continues\n");
}

/* The text without numbers of lines and addresses of files. */
static char *nameless(const char *text)
{
    static char out[8192];
    const char *const file = "test_fault.c:";
    const int line = atoi(text);
    size_t at = 0;
    const char *c = strchr(text, '\n') + 1;
    while (*c && at < sizeof out - 64) {
        char *end = (char *)c + 1;
        if (strncmp(c, file, strlen(file)) == 0)
            at += (size_t)sprintf(
                out + at, "%s%s", file,
                strtol(c + strlen(file), &end, 10) == line ? "HERE" : "THERE");
        else if ((strncmp(c, "0x7f", 4) == 0 || strncmp(c, "0x7e", 4) == 0) &&
                 strtoul(c, &end, 16))
            at += (size_t)sprintf(out + at, "0x7f..");
        else
            out[at++] = *c;
        c = end;
    }
    out[at] = 0;
    return out;
}

static void report_of(const struct crash *c, int of)
{
    char name[64], text[8192];
    struct shared *const s = shared_new();
    s->ping = (uint32_t)(c - crashes);
    s->pong = (uint32_t)of;
    snprintf(name, sizeof name, "%s: %s", of == HOST ? "host" : "kernel",
             c->name);
    const struct rank r = rank_start(0, 1, crashes_as_told, s);
    const int status = rank_end(r, text, sizeof text);
    ck_assert_int_eq(status, strstr(text, "continues") ? 0 : PROC_EXIT_FAULT);
    golden_expect_part(golden, name, nameless(text));
}

START_TEST(a_crash_is_explained_with_its_line)
{
    for (int of = HOST; of <= KERNEL; of++)
        if (crashes[_i].of & of)
            report_of(&crashes[_i], of);
}
END_TEST

/* ---- what is open -------------------------------------------------------- */

/* The kernel may read it for this process. */
static int is_open(const void *p)
{
    int ends[2];
    MUST(pipe(ends) == 0);
    const ssize_t n = write(ends[1], p, 1);
    close(ends[0]);
    close(ends[1]);
    return n == 1;
}

static char *touched(void)
{
    char *const p = alloc(100);
    *(volatile char *)p = 1;
    return p;
}

static void open_with_keys(struct shared *s)
{
    (void)s;
    for (int i = 0; i < 2; i++) {
        fault_kernel_enter("kernel", 0, 0);
        MUST(rights == 0);
        char *const p = touched();
        MUST(nopened == i + 1 && is_open(p));
        fault_kernel_leave();
        MUST(rights == PKEY_DISABLE_ACCESS);
        fault_rest();
        MUST(nclosed == 0); // the key does it
    }
}

START_TEST(a_key_opens_memory_to_kernels_only)
{
    has_keys = 1;
    succeeds(open_with_keys);
}
END_TEST

static void *runs_beside(void *p)
{
    fault_kernel_enter("beside", 0, 0);
    *(volatile char *)p = 1;
    fault_kernel_leave();
    return NULL;
}

static void open_without_keys(struct shared *s)
{
    (void)s;
    pthread_t thread;
    fault_rest();
    fault_kernel_enter("kernel", 0, 0);
    char *const p = touched(), *const q = touched();
    *(volatile char *)p = 2;
    MUST(nopened == 2 && nclosed == 0 && is_open(p) && is_open(q));
    fault_rest(); // a kernel runs
    MUST(nclosed == 0);
    MUST(pthread_create(&thread, NULL, runs_beside, alloc(100)) == 0);
    MUST(pthread_join(thread, NULL) == 0);
    fault_rest(); // one of two
    MUST(nopened == 3 && nclosed == 0);
    fault_kernel_leave();
    MUST(is_open(p)); // for the next kernel
    fault_rest();
    MUST(nclosed == 3 && !is_open(p) && !is_open(q) && rights == -1);
    fault_rest();
    MUST(nclosed == 3);
    fault_kernel_enter("kernel", 0, 0);
    *(volatile char *)q = 2;
    MUST(nopened == 4 && is_open(q) && !is_open(p));
    fault_kernel_leave();
    fault_rest();
    MUST(nclosed == 4 && !is_open(q));
}

START_TEST(without_keys_memory_is_open_until_kernels_rest)
{
    succeeds(open_without_keys);
}
END_TEST

/* After a kernel that opens n allocations, `first` are closed when the next one
 * starts, and `last` more once none runs. */
static void open_and_close(int n, int first, int last)
{
    fault_kernel_enter("kernel", 0, 0);
    const int before = nclosed;
    for (int i = 0; i < n; i++)
        touched();
    fault_kernel_leave();
    fault_kernel_enter("the next", 0, 0);
    MUST(nclosed - before == first);
    fault_kernel_enter("beside it", 0, 0);
    MUST(nclosed - before == first);
    fault_kernel_leave();
    fault_kernel_leave();
    fault_rest();
    MUST(nclosed - before == first + last);
}

/* 256 allocations are remembered, of which half are left open to the next
 * kernel. */
static void open_many(struct shared *s)
{
    (void)s;
    open_and_close(1, 0, 1);
    open_and_close(128, 0, 128);
    open_and_close(129, 129, 0);
    open_and_close(256, 256, 0);
    open_and_close(258, 256, 0);
}

START_TEST(half_of_what_can_be_open_stays_open)
{
    succeeds(open_many);
}
END_TEST

#endif

int main(void)
{
    Suite *const suite = suite_create("fault");
    TCase *const t = tcase_create("fault");
#if defined(__x86_64__)
    SUITE_LOOP(t, a_crash_is_explained_with_its_line, crashes);
    tcase_add_test(t, a_key_opens_memory_to_kernels_only);
    tcase_add_test(t, without_keys_memory_is_open_until_kernels_rest);
    tcase_add_test(t, half_of_what_can_be_open_stays_open);
#endif
    suite_add_tcase(suite, t);
    return suite_run(suite);
}

/*
 * kernel.h: the interface between device code and simgpu's runtime
 */
#ifndef SIMGPU_KERNEL_H
#define SIMGPU_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct kernel { /* a __global__ function; lives as long as the program */
    const void *host_stub; /* its address */
    const char *name;      /* as the source writes it */
    /* Do one thread's work. */
    void (*call)(const void *host_stub, void *const *params);
    const uint32_t *param_nbytes;
    uint32_t nparams;
    int is_template;                  /* a launch's text names it better */
    uint32_t max_threads, min_blocks; /* __launch_bounds__, 0: none */
    uint32_t cluster[3];              /* __cluster_dims__, 0: none */
    struct kernel *next;              /* set by the runtime */
};

/* What simnvcc has found out about a kernel (simnvcc/calls.h) is in front of
 * its code: one or both of these, and the mark. */
enum {
    SIMGPU_INDEPENDENT = 1, /* its blocks are */
    SIMGPU_UNWAITING = 2    /* and none of its threads ever waits */
};
#define SIMGPU_MARK UINT64_C(0x746e65646e696221)

/* Register a kernel; a second time has no effect. */
void simgpu_register_kernel(struct kernel *k);
int simgpu_knows_kernel(const void *host_stub);

/*
 * A kernel in a program of which nothing may run before main (simnvcc
 * --no-constructors): the section simgpu_kernels is a table of these, in which
 * the runtime looks up an address that it does not know.
 */
struct listed_kernel {
    const void *host_stub;
    void (*make_known)(void); /* registers it */
};

/*
 * k<<<grid, block>>>(x): configure, by the text of the launch; then k's
 * prologue launches it with the latest configuration of the thread. The site is
 * that of the configuration.
 */
struct CUstream_st;
void simgpu_configure(const char *text, const unsigned grid[3],
                      const unsigned block[3], size_t shared_nbytes,
                      struct CUstream_st *stream);
void simgpu_launch(const void *host_stub, void **params);
/* True if a call of a kernel launches it: not on a device thread. */
extern __thread int simgpu_outside;

/* The same, read without announcing an access. */
static inline int simgpu_is_outside(void)
{
    int is;
#if defined(__x86_64__)
    __asm__("movl %1, %0" : "=r"(is) : "m"(simgpu_outside));
#elif defined(__aarch64__)
    __asm__("ldr %w0, %1" : "=r"(is) : "m"(simgpu_outside));
#else
    is = simgpu_outside;
#endif
    return is;
}

/* Services of the runtime to the code of a device thread. */
struct simgpu_uint3 {
    unsigned x, y, z;
};
extern __thread struct simgpu_uint3 simgpu_thread_idx, simgpu_block_idx,
    simgpu_block_dim, simgpu_grid_dim;

void simgpu_syncthreads(void);
/* The block's dynamic shared memory: the largest that a GPU offers. */
enum { SIMGPU_DYNAMIC_MAX = 227 << 10 };
extern __thread char simgpu_dynamic_memory[];
void *simgpu_dynamic_shared(void);
/* An atomic access, for hazards: nbytes at p. */
void simgpu_atomic_access(const volatile void *p, unsigned nbytes);
void simgpu_atomic_store(const volatile void *p, unsigned nbytes);
/* After an atomic access that left the word unchanged: a thread may be waiting
 * for it to change. */
void simgpu_atomic_unchanged(const volatile void *p, unsigned nbytes);

/*
 * Words of 4 or 8 bytes with which kernels of several devices and processes
 * synchronise. order: which of the program's other accesses they order
 * (device/sync.h). wait: until the word is value, or at least value.
 */
enum {
    SIMGPU_ACQUIRE = 1,
    SIMGPU_RELEASE = 2,
    SIMGPU_COMMUTES = 4, /* an update that other such updates may precede or
                            follow: who waits for their sum follows them all */
    SIMGPU_COMPARES = 8  /* a compare-and-swap */
};
uint64_t simgpu_sync_load(const volatile void *p, unsigned nbytes, int order);
void simgpu_sync_store(volatile void *p, unsigned nbytes, uint64_t value,
                       int order);
uint64_t simgpu_sync_update(volatile void *p, unsigned nbytes,
                            uint64_t (*change)(uint64_t old,
                                               const void *operand),
                            const void *operand, int order);
void simgpu_sync_wait(const volatile void *p, unsigned nbytes, uint64_t value,
                      int equal);
/* Until met(word, target). */
void simgpu_sync_until(const volatile void *p, unsigned nbytes,
                       int (*met)(uint64_t value, uint64_t target),
                       uint64_t target);
void simgpu_fence(void); /* among the kernels of a device */
void simgpu_fence_system(void);

/* Fail the kernel: the device has a sticky error from now on. */
void simgpu_trap(void) __attribute__((noreturn));

/* End the thread. */
void simgpu_exit(void) __attribute__((noreturn));

/* End the kernel at once, without an error. */
void simgpu_leave(void) __attribute__((noreturn));

void simgpu_nanosleep(unsigned ns);
/* Cycles of a clock that advances with each call. */
long long simgpu_clock(void);
/* This block runs on a multiprocessor of this number. */
unsigned simgpu_smid(void);
/* All blocks of a cooperative grid wait for each other. */
void simgpu_sync_grid(void);

/* Clusters: blocks in each direction; the barrier's two halves; where p of this
 * block's shared memory lies in that of another block; the rank of the block in
 * whose shared memory p is. */
struct simgpu_uint3 simgpu_cluster_dim(void);
void simgpu_cluster_arrive(void);
void simgpu_cluster_wait(void);
void *simgpu_cluster_map(const void *p, unsigned rank);
unsigned simgpu_cluster_rank_of(const void *p);
int simgpu_cluster_has(const void *p); /* in some block's shared memory */

/* Exchange a value among the threads of a warp in the mask: each that has not
 * ended must call. */
uint64_t simgpu_shuffle(uint64_t value, int lane, unsigned mask);
/* The values of the lanes in the mask; returns those that are there. */
unsigned simgpu_gather(uint64_t value, unsigned mask, uint64_t all[32]);
/* Lanes that wait in the same call when nothing else of the warp can run. */
unsigned simgpu_converged(void);
/* A barrier of the block, and for how many of its threads the predicate holds.
 */
unsigned simgpu_count(int predicate);
/* Named barrier number id of the block, of `count` of its threads. */
void simgpu_barrier(unsigned id, unsigned count);
/* A barrier of the thread's tile: of each `size` threads of the block, 64 to
 * 1024. */
void simgpu_tile_barrier(unsigned size);
/* Let the other threads run: for a thread that waits for one of them. */
void simgpu_yield(void);
unsigned simgpu_peek(const volatile unsigned *p); /* an access not recorded */
int simgpu_is_global(const volatile void *p);
int simgpu_is_shared(const volatile void *p); /* by the thread's block */
/* A bit for each of these lanes whose predicate holds. */
unsigned simgpu_ballot(int predicate, unsigned mask);

#ifdef __cplusplus
}
#endif
#endif

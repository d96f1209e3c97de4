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

struct simgpu_kernel { /* a __global__ function; exists for the whole program */
    const void *host_stub; /* its address */
    const char *name;      /* name in the source */
    /* Runs one thread's work. */
    void (*call)(const void *host_stub, void *const *params);
    const uint32_t *param_nbytes;
    uint32_t nparams;
    int is_template;                  /* `name` lacks the arguments: the
                                         first launch's text replaces it */
    uint32_t max_threads, min_blocks; /* __launch_bounds__; 0: none */
    uint32_t cluster[3];              /* __cluster_dims__; 0: none */
    const char *is_code; /* by parameter: it points to a function; NULL: none
                            does */
    struct simgpu_kernel *next; /* set by the runtime */
};

/* What simnvcc has proved about a kernel (simnvcc/calls.h), stored in front of
 * its code: one or both of these flags, and the mark. */
enum {
    SIMGPU_INDEPENDENT = 1, /* the kernel's blocks are independent */
    SIMGPU_UNWAITING = 2    /* the kernel's threads never wait */
};
#define SIMGPU_MARK UINT64_C(0x746e65646e696221)

/* Registers a kernel. A second call has no effect. */
void simgpu_register_kernel(struct simgpu_kernel *k);
int simgpu_knows_kernel(const void *host_stub);

/*
 * In a program in which no code may run before main (simnvcc
 * --no-constructors), the section simgpu_kernels is a table of these. The
 * runtime looks up unknown addresses in it.
 */
struct listed_kernel {
    const void *host_stub;
    void (*make_known)(void); /* registers the kernel */
};

/*
 * k<<<grid, block>>>(x) first configures a launch, with the launch's text as
 * its name; then k's prologue launches k with the thread's latest
 * configuration. The launch is recorded at the site of the configuration.
 */
struct CUstream_st;
void simgpu_configure(const char *text, const unsigned grid[3],
                      const unsigned block[3], size_t shared_nbytes,
                      struct CUstream_st *stream);
void simgpu_launch(const void *host_stub, void **params);
/* True if calling a kernel launches it, which is false on a device thread. */
extern __thread int simgpu_outside;

/* The same flag, read without recording an access. */
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
/* The block's dynamic shared memory, of the largest size that a GPU offers. */
enum { SIMGPU_DYNAMIC_MAX = 227 << 10 };
extern __thread char simgpu_dynamic_memory[];
void *simgpu_dynamic_shared(void);
/* Records an atomic access to nbytes at p, for the check for hazards. True if
 * nothing else can change these bytes before the calling thread waits, so that
 * the access need not be an atomic instruction. */
int simgpu_atomic_access(const volatile void *p, unsigned nbytes);
int simgpu_atomic_store(const volatile void *p, unsigned nbytes);
/* Called after an atomic access that left the word unchanged: the thread may be
 * waiting for it to change. */
void simgpu_atomic_unchanged(const volatile void *p, unsigned nbytes);
/* The same after a load that must not come from a register or a first-level
 * cache (__ldcg, __ldcv). */
void simgpu_reloaded(const volatile void *p, unsigned nbytes);
/* Called before (1) and after (0) an atomic access of block scope, which is
 * none to the other blocks. */
void simgpu_block_scope(int begins);

/*
 * Words whose atomic accesses the running thread need not announce by these
 * calls, since they would return true and record nothing: those of an array in
 * shared memory, and words of global memory, known for accesses that depend on
 * the old value and for exchanges. The latter only while *wanted is 0.
 */
struct simgpu_words {
    const char *begin, *end;
};
struct simgpu_own {
    struct simgpu_words array, words[2];
    const int *wanted;
};
/* What the calling thread has of these, or NULL. */
extern __thread const struct simgpu_own *simgpu_live_own;

/*
 * Words of 4 or 8 bytes by which kernels of several devices and processes
 * synchronise. order says which of the program's other accesses they order
 * (device/sync.h). wait: until the word equals value, or is at least value.
 */
enum {
    SIMGPU_ACQUIRE = 1,
    SIMGPU_RELEASE = 2,
    /* an update that commutes with others of its kind: a waiter for their
     * sum follows all */
    SIMGPU_COMMUTES = 4,
    SIMGPU_COMPARES = 8 /* a compare-and-swap */
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
/* Waits until met(word, target). */
void simgpu_sync_until(const volatile void *p, unsigned nbytes,
                       int (*met)(uint64_t value, uint64_t target),
                       uint64_t target);
void simgpu_fence_block(void);
void simgpu_fence(void); /* orders kernels of one device */
void simgpu_fence_system(void);

/* Fails the kernel: from now on the device has a sticky error. */
void simgpu_trap(void) __attribute__((noreturn));

/* Ends the thread. */
void simgpu_exit(void) __attribute__((noreturn));

/* Ends the kernel at once, without an error. */
void simgpu_leave(void) __attribute__((noreturn));

void simgpu_nanosleep(unsigned ns);
/* A clock's cycles, which advance with each call. */
long long simgpu_clock(void);
/* The number of the multiprocessor that runs this block. */
unsigned simgpu_smid(void);
/* Waits for all blocks of a cooperative grid; whether the grid is one. */
void simgpu_sync_grid(void);
int simgpu_is_cooperative(void);

/* Clusters: the number of blocks in each direction; the barrier's two halves;
 * the address in another block's shared memory that corresponds to p in this
 * block's; the rank of the block whose shared memory contains p. */
struct simgpu_uint3 simgpu_cluster_dim(void);
void simgpu_cluster_arrive(void);
void simgpu_cluster_wait(void);
void *simgpu_cluster_map(const void *p, unsigned rank);
unsigned simgpu_cluster_rank_of(const void *p);
/* True if p is in any block's shared memory. */
int simgpu_cluster_has(const void *p);

/* Exchanges a value among the warp's threads in the mask. Each of them that has
 * not ended must call it. */
uint64_t simgpu_shuffle(uint64_t value, int lane, unsigned mask);
/* Gets the values of the lanes in the mask. Returns those lanes that exist. */
unsigned simgpu_gather(uint64_t value, unsigned mask, uint64_t all[32]);
/* The lanes that wait in the same call when no other
 * thread of the warp can run. */
unsigned simgpu_converged(void);
/* A barrier of the block. Returns the number of threads for
 * which the predicate holds. */
unsigned simgpu_count(int predicate);
/* Named barrier number id of the block, for `count` of its threads. */
void simgpu_barrier(unsigned id, unsigned count);
/* A barrier for the thread's tile, which has `size` threads of
 * the block, 64 to 1024. */
void simgpu_tile_barrier(unsigned size);
/* The thread makes its past known at an object in shared memory by which
 * threads wait for each other, and learns what is known there. The object's
 * bytes are not checked for races. */
void simgpu_meet(const void *object, size_t nbytes);
/*
 * Asynchronous copies to shared memory. This one of 1 to 16 bytes joins the
 * thread's current group, which a commit ends. A wait is for all groups but the
 * latest `but` that are committed; -1: for all, the current one included.
 */
enum { SIMGPU_COPY_MOST = 16 };
void simgpu_copy_later(void *to, const void *value, size_t nbytes);
void simgpu_copies_commit(void);
void simgpu_copies_wait(int but);
/* Lets the other threads run, because this thread waits for one of them. */
void simgpu_yield(void);
/* Reads a word without recording an access. */
unsigned simgpu_peek(const volatile unsigned *p);
int simgpu_is_global(const volatile void *p);
int simgpu_is_shared(const volatile void *p); /* true for the thread's block */
/* A bit for each of these lanes for which the predicate holds. */
unsigned simgpu_ballot(int predicate, unsigned mask);

#ifdef __cplusplus
}
#endif
#endif

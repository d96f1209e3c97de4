/*
 * host_memory.h: what a host address belongs to
 *
 * Answers from /proc/self/maps, from the loaded modules, and from their tables
 * of symbols: this takes a millisecond and is meant for reports. Only what is
 * certain to be the host's own is called STACK, HEAP, MAPPED or STATIC.
 */
#ifndef SIMGPU_CORE_HEAP_HOST_MEMORY_H
#define SIMGPU_CORE_HEAP_HOST_MEMORY_H

enum host_kind {
    HOST_ABSENT, /* not mapped, or not readable */
    HOST_OPEN,  /* device code may touch it: constants, device variables, ... */
    HOST_STACK, /* a host thread's stack */
    HOST_HEAP,  /* malloc(), new, or anonymous mmap() */
    HOST_MAPPED, /* a file or shared memory, mapped by the program */
    HOST_STATIC  /* a variable of the program */
};

struct host_memory {
    enum host_kind kind;
    const char *begin, *end; /* bytes around the address, all of this kind */
    int is_local;            /* OPEN: to the calling thread only */
    int is_constant;         /* OPEN: a __constant__ variable */
    int is_managed;          /* OPEN: a __managed__ variable */
    char name[128];          /* the variable's */
};

/*
 * Find out what p is. `frame` is an address on the stack of the thread that
 * launched the kernel, and pc one in the kernel's code: the module that it is
 * in tells whether its kernels call malloc() (simnvcc/variables.h).
 */
void host_memory_find(const void *p, const void *frame, const void *pc,
                      struct host_memory *out);

/* Find the variable of the program or of a library at p, host code's or device
 * code's: *out gets its name, begin and end. Returns 0 if there is none. */
int host_memory_variable(const void *p, struct host_memory *out);

/*
 * True if the bytes from p on were local variables of functions of the calling
 * thread that have returned. `frame` is where the locals of the function begin
 * that runs: __builtin_dwarf_cfa() in a function that it calls. False on a
 * stack that the program has made itself.
 */
int host_memory_has_returned(const void *p, const void *frame);

/* True if p is in memory that other processes may have mapped, too. */
int host_memory_is_shared(const void *p);

#endif

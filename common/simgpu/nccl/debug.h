/*
 * debug.h: NCCL_DEBUG, and the reasons of failed calls
 *
 *   NCCL_DEBUG         VERSION, WARN (and errors), INFO (and what NCCL does)
 *   NCCL_DEBUG_SUBSYS  what INFO covers: INIT,ENV (default), COLL, P2P, GRAPH,
 *                      TUNING, REG, ALL, ...; ^COLL: all but COLL
 *   NCCL_DEBUG_FILE    output, %h host, %p process; default standard output
 *
 * Lines have NCCL's form: host:pid:tid [device] NCCL INFO text.
 */
#ifndef SIMGPU_NCCL_DEBUG_H
#define SIMGPU_NCCL_DEBUG_H

#include <nccl.h>

enum debug_subsys { /* NCCL's bits, in its order */
                    DEBUG_INIT = 1 << 0,
                    DEBUG_COLL = 1 << 1,
                    DEBUG_P2P = 1 << 2,
                    DEBUG_GRAPH = 1 << 5,
                    DEBUG_TUNING = 1 << 6,
                    DEBUG_ENV = 1 << 7,
                    DEBUG_REG = 1 << 13,
                    DEBUG_ALL = ~0,
};

/* True if lines of these subsystems are printed: check it before preparing a
 * line that is expensive to compute. */
int debug_wants(unsigned subsys);

/* Print a line of NCCL_DEBUG=INFO. device -1 is the calling thread's. */
void debug_info(unsigned subsys, int device, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The function that NCCL passes to plugins for printing. `at` is NCCL's level
 * (2 is a warning, 3 and above information), subsys one of NCCL's bits. */
void debug_log(int at, unsigned long subsys, const char *file, int line,
               const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Print the version, once per process, on NCCL's rank 0. */
void debug_version(void);

/*
 * Remember for ncclGetLastError why a call failed, and print it under
 * NCCL_DEBUG=WARN. Returns result.
 */
#define nccl_error(result, ...)                                                \
    debug_error(result, __FILE__, __LINE__, __VA_ARGS__)
ncclResult_t debug_error(ncclResult_t result, const char *file, int line,
                         const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif

/*
 * issuer.h: the program's threads that have issued work for a device
 */
#ifndef SIMGPU_CORE_ISSUER_H
#define SIMGPU_CORE_ISSUER_H

#include <stdint.h>
#include <sys/types.h> /* pid_t */

enum { ISSUERS = 64 }; /* of a process that are known, the latest */

/* The calling thread is about to issue work, in this part (part.h) of the
 * program. True if it has issued some before, but none in this part. */
int issuer_enters(uint32_t part);

/* It has recorded work, or a call. */
void issuer_issued(uint32_t node);
void issuer_called(uint32_t node);

/* Its last work; 0: none. */
uint32_t issuer_last(void);

/* Its number in the kernel; 0: it is none of those that are known. */
pid_t issuer_tid(void);

/* The CPU time of a thread of this process; 0: it is gone. */
uint64_t issuer_computed_ns(pid_t tid);

/* True if the thread wants a core, but has computed for less than ns since its
 * CPU time was since_ns. */
int issuer_lacks_core(pid_t tid, uint64_t since_ns, uint64_t ns);

/*
 * Wait until each other thread of the process has issued work, has ended,
 * sleeps by its own choice, or has computed for 20 ms; for 5 s at most, and not
 * at all if they sleep already.
 */
void issuers_settle(void);

/*
 * The other threads that have issued work in this part, or that have earlier
 * and have not ended. Returns how many; *n and called[] get the last call in
 * the part of each that has made one.
 */
int issuers_others(uint32_t part, uint32_t called[ISSUERS], int *n);

#endif

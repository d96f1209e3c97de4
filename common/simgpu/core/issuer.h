/*
 * issuer.h: the program's threads that have issued work for a device
 */
#ifndef SIMGPU_CORE_ISSUER_H
#define SIMGPU_CORE_ISSUER_H

#include <stdint.h>
#include <sys/types.h> /* pid_t */

enum { ISSUERS = 64 }; /* the most recent ones of a process */

/* Note that the calling thread is about to issue work in this part
 * (part.h) of the program. Returns true if it has issued work before,
 * but none in this part. */
int issuer_enters(uint32_t part);

/* Note that it has recorded work, or a call. */
void issuer_issued(uint32_t node);
void issuer_called(uint32_t node);

/* The thread's last work; 0: none. */
uint32_t issuer_last(void);

/* The thread's id in the kernel; 0 if it has no entry. */
pid_t issuer_tid(void);

/* The CPU time of a thread of this process; 0 if it has ended. */
uint64_t issuer_computed_ns(pid_t tid);

/* True if the thread wants a core, but has computed for less than ns since its
 * CPU time was since_ns. */
int issuer_lacks_core(pid_t tid, uint64_t since_ns, uint64_t ns);

/*
 * Wait until each other thread of the process has issued work, has ended,
 * sleeps on its own account, or has computed for 20 ms; at most 5 s, and not at
 * all if all sleep already.
 */
void issuers_settle(void);

/*
 * Count the other threads that have issued work in this part, or that issued
 * work earlier and have not ended. Returns their number. called[], with *n
 * entries, gets the last call in this part of each thread that made one.
 */
int issuers_others(uint32_t part, uint32_t called[ISSUERS], int *n);

#endif

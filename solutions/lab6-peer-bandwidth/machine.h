/*
 * machine.h: the machine under the cases: buffers on any GPU, and a measurement
 * of all pairs that doesn't depend on your code. Given: nothing to edit here.
 *
 * All of it is for rank 0, but machine_measure(), which all ranks call.
 */
#ifndef LAB6_MACHINE_H
#define LAB6_MACHINE_H

#include "lab/lab.h"
#include "lab6.h"

/* All GPUs, set up with the first call, with access to each other's memory. */
struct peers *machine_peers(void);

/* The same, with slots for chunks of 32 MiB of bytes that don't matter. */
struct peers *machine_large_peers(void);

/* Access to each other's memory on or off; how many ordered pairs have it. */
void machine_access(int on);
int machine_count_access(void);

/*
 * Device memory of at least nbytes on a GPU, to be used again and again: number
 * 0, 1 or 2 of that GPU. It is for measuring: what is in it doesn't matter, and
 * simgpu doesn't even keep it (lab.dataless).
 */
void *machine_buffer(int gpu, int number, size_t nbytes);
char *machine_pinned(size_t nbytes);

/* As lab_input(), lab_buffer() and lab_output(), on a GPU: count floats of the
 * input that seed number `which` of r->seed stands for. */
void *machine_input(struct lab_run *r, int gpu, int which, size_t count);
void *machine_output(struct lab_run *r, int gpu, size_t nbytes);
void machine_show(struct lab_run *r, int gpu, const char *name,
                  const void *buffer, size_t nbytes);

/* One way, alone, between all pairs, by copies of nbytes. */
void machine_measure(struct lab_run *r, size_t nbytes, struct gbps *m);

/* What all copies over GPU 0's NVLinks (link: > 0) reach together, in GB/s; 0
 * without any. nbytes: of those over the widest. */
double machine_measure_gpu(const struct gbps *m, int link[PEERS][PEERS],
                           size_t nbytes);

/* Which pairs have NVLinks, by their bandwidth: 1, else LINK_SYS. */
void machine_nvlinks(const struct gbps *m, double nvlink_GBps,
                     int link[PEERS][PEERS]);

#endif

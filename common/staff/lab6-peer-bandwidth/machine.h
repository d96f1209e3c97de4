/*
 * machine.h: the machine for the cases: buffers on any GPU, and a measurement
 * of all pairs that doesn't use your code. Given: nothing to edit here.
 *
 * Only rank 0 calls these functions, except machine_measure(), which all ranks
 * call.
 */
#ifndef LAB6_MACHINE_H
#define LAB6_MACHINE_H

#include "lab/lab.h"
#include "lab6.h"

/* All GPUs, initialised by the first call, with access to each other's
 * memory. */
struct peers *machine_peers(void);

/* The same, with slots for chunks of 32 MiB without contents. */
struct peers *machine_large_peers(void);

/* Free all that these functions keep from case to case. */
void machine_release(void);

/* Enable or disable access to each other's memory; count the ordered pairs that
 * have it. */
void machine_access(int on);
int machine_count_access(void);

/*
 * Device memory of at least nbytes on a GPU: buffer number 0, 1 or 2 of that
 * GPU, the same memory in every call. It is for measurements: its contents
 * don't matter, and simgpu doesn't keep them (lab.dataless).
 */
void *machine_buffer(int gpu, int number, size_t nbytes);
char *machine_pinned(size_t nbytes);

/* Like lab_input(), lab_buffer() and lab_output(), on a GPU: count floats of
 * the input number `which` of the seed. */
void *machine_input(struct lab_run *r, int gpu, int which, size_t count);
void *machine_output(struct lab_run *r, int gpu, size_t nbytes);
void machine_show(struct lab_run *r, int gpu, const char *name,
                  const void *buffer, size_t nbytes);

/* Like lab_source() for each of TRACE_SLICES slices, "NAME.I"; and
 * lab_result(); on a GPU. */
void machine_sources(struct lab_run *r, int gpu, const char *name, void *buffer,
                     size_t nbytes);
void machine_result(struct lab_run *r, int gpu, const char *name, void *buffer,
                    size_t nbytes);

/* Measure all pairs, one way, each alone, with copies of nbytes. */
void machine_measure(struct lab_run *r, size_t nbytes, struct gbps *m);

/* The rate of copies over all of GPU 0's NVLinks (link > 0) together, in GB/s;
 * 0 if it has none. nbytes: of the copies over the widest one. */
double machine_measure_gpu(const struct gbps *m, int link[PEERS][PEERS],
                           size_t nbytes);

/* Set link to 1 for pairs that have NVLinks, by their bandwidth, else to
 * LINK_SYS. */
void machine_nvlinks(const struct gbps *m, double nvlink_GBps,
                     int link[PEERS][PEERS]);

#endif

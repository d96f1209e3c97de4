/*
 * cases.h: shared by the files of lab 5's cases. Given: nothing to edit here.
 */
#ifndef LAB5_CASES_H
#define LAB5_CASES_H

#include "lab/lab.h"
#include "lab5.h"

/* The heap of the current iteration. cases_open() abandons a heap that is still
 * open because its case ended early: its peers may have exited. */
extern struct symm cases_heap;
ncclResult_t cases_open(struct lab_run *r, size_t nbytes);
void cases_close(void);

/* Symmetric memory with this rank's input of count floats. Blocks. */
ncclResult_t cases_input(struct lab_run *r, size_t count, float **out);

/*
 * Symmetric memory for nbytes, followed by a guard that no operation may touch.
 * The guard starts after the last float4. No other memset has its length, by
 * which judge5_guards() finds it.
 */
ncclResult_t cases_alloc(struct lab_run *r, size_t nbytes, void **out);

/* Record nbytes of device memory that is not a lab_buffer(). After
 * lab_end(). */
void cases_show(struct lab_run *r, const char *name, const void *d,
                size_t nbytes);

/* ---- parts 3 and 4 (cases_reduce.c) -------------------------------------- */

ncclResult_t run_reduce(struct lab_run *r);
ncclResult_t run_tune(struct lab_run *r);

/* ---- part 5 (cases_uses.c) ----------------------------------------------- */

/* Give all ranks rank 0's parameters, without NCCL: ranks may share a GPU.
 * Blocks. */
struct exercise;
void cases_same_weights(struct lab_run *r, struct exercise *e);

ncclResult_t run_gradsync(struct lab_run *r);
ncclResult_t run_late(struct lab_run *r);
ncclResult_t run_pipeline(struct lab_run *r);
ncclResult_t run_gemm(struct lab_run *r);
ncclResult_t run_gemm_sum(struct lab_run *r);
ncclResult_t run_ring(struct lab_run *r);
ncclResult_t run_dtensor(struct lab_run *r);
ncclResult_t run_pcache(struct lab_run *r);
ncclResult_t run_hashmap(struct lab_run *r);

/* ---- parts 6 to 8 (cases_window.c) --------------------------------------- */

ncclResult_t run_window(struct lab_run *r);
ncclResult_t run_window_race(struct lab_run *r);
ncclResult_t run_fused(struct lab_run *r);

#endif

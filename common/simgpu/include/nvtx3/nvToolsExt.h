/*
 * nvToolsExt.h: NVTX, as far as simgpu implements it
 *
 * A range names what the calling thread enqueues until it is popped: the
 * operations in the execution graph, and so on its timeline.
 */
#ifndef SIMGPU_NVTX3_NVTOOLSEXT_H
#define SIMGPU_NVTX3_NVTOOLSEXT_H

#ifdef __cplusplus
extern "C" {
#endif

/* Each returns the depth of the range, from 0; pop -1 if there is none. */
int nvtxRangePushA(const char *message);
int nvtxRangePop(void);

#ifdef __cplusplus
}
#endif
#endif

/*
 * cudaProfiler.h: the driver's functions for profilers
 */
#ifndef CUDAPROFILER_H
#define CUDAPROFILER_H

#include "cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);

#ifdef __cplusplus
}
#endif
#endif

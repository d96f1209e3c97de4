/* say.h: calls and what they return, values and what they are, a line each */
#ifndef COMMLAB_TESTS_SAY_H
#define COMMLAB_TESTS_SAY_H

#include <cuda.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define SAY(call)    printf("%s: %s\n", #call, cudaGetErrorName(call))
#define DRIVER(call) printf("%s: %d\n", #call, (int)(call))
#define IS(value)    printf("%s = %lld\n", #value, (long long)(value))

#endif

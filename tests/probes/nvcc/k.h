// What the files of this folder share: a program of several languages.
#ifndef K_H
#define K_H
#ifdef __cplusplus
#include <cuda_runtime.h>
#ifdef __CUDACC__
__global__ void k(int *p, int v);
#endif
extern "C" {
#endif
int c_value(void);
#ifdef __cplusplus
}
int add(int a, int b);
void launch(int *p, int v);
#endif
#endif

/*
 * The values of enumerators and the offsets of structures' fields, one per
 * line. Compiled with CUDA's headers it prints the same (headers.txt is its
 * output with those of CUDA 13.0).
 */
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdio.h>

#define V(name) printf("%s %ld\n", #name, (long)(name));
#define S(type) printf("sizeof(%s) %zu\n", #type, sizeof(type));
#define F(type, field)                                                         \
    printf("%s.%s %zu\n", #type, #field, offsetof(struct type, field));

int main(void)
{
#include "headers.def"
    return 0;
}

/*
 * prog_nccl32_window.c: windows of two ranks, which differ
 *
 *     prog_nccl32_window FLAGS SIZE FLAGS SIZE
 */
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>

enum { RANKS = 2 };

int main(int argc, char **argv)
{
    ncclComm_t comm[RANKS];
    ncclWindow_t window[RANKS];
    if (argc != 1 + 2 * RANKS || ncclCommInitAll(comm, RANKS, NULL))
        return 2;
    ncclResult_t err = ncclGroupStart();
    for (int i = 0; i < RANKS; i++) {
        void *p = NULL;
        cudaSetDevice(i);
        err |= ncclMemAlloc(&p, 1 << 16);
        err |= ncclCommWindowRegister(comm[i], p,
                                      strtoull(argv[2 + 2 * i], NULL, 0),
                                      &window[i], atoi(argv[1 + 2 * i]));
    }
    err |= ncclGroupEnd();
    printf("registered: %d %s\n", (int)err, err ? ncclGetLastError(NULL) : "");
    for (int i = 0; !err && i < RANKS; i++)
        if (ncclCommWindowDeregister(comm[i], window[i]))
            return 3;
    for (int i = 0; i < RANKS; i++)
        ncclCommDestroy(comm[i]);
    return 0;
}

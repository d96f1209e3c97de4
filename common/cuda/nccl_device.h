/*
 * nccl_device.h: the installed NCCL's device API (2.28 or newer), and the
 * initializer that it has only since 2.29: in 2.28 requirements start as zeros
 */
#ifndef COMMLAB_CUDA_NCCL_DEVICE_H
#define COMMLAB_CUDA_NCCL_DEVICE_H

#include_next <nccl_device.h>

#ifndef NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER
#define NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER                                 \
    {                                                                          \
    }
#endif

#endif

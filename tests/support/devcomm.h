/*
 * devcomm.h: device communicators, for programs that also have to compile with
 * NCCL 2.28, whose requirements must be zeroed
 */
#ifndef COMMLAB_TESTS_DEVCOMM_H
#define COMMLAB_TESTS_DEVCOMM_H

#include <nccl.h>
#include <nccl_device.h>
#include <string.h>

static inline ncclDevCommRequirements no_requirements(void)
{
#ifdef NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER
    ncclDevCommRequirements reqs = NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER;
#else
    ncclDevCommRequirements reqs;
    memset(&reqs, 0, sizeof reqs);
#endif
    return reqs;
}

#endif

/*
 * thread.c: what a host thread carries with it: a device, an error
 */
#include <cuda_runtime_api.h> /* cudaSuccess */

#include "core/stream.h"

static _Thread_local int device;
static _Thread_local int bound;
static _Thread_local int last_error;
static _Atomic int sticky[PROC_MAX_DEVICES]; /* per device of the process */

int device_current(void)
{
    return device;
}

int device_set(int number)
{
    if (number < 0 || number >= proc()->ndevices)
        return -1;
    device = number;
    bound = 1;
    return 0;
}

int device_bound(void)
{
    return bound;
}

void device_unbind(void)
{
    device = 0;
    bound = 0;
}

int device_error(int number)
{
    return atomic_load(&sticky[number]);
}

void device_reset_error(int number)
{
    atomic_store(&sticky[number], cudaSuccess);
    last_error = cudaSuccess;
}

void op_fail(struct op *op, int cuda_error)
{
    int none = cudaSuccess;
    atomic_compare_exchange_strong(&sticky[stream_device(op->stream)], &none,
                                   cuda_error);
}

int api_return(int cuda_error)
{
    bound = 1;
    const int broken = device_error(device);
    const int err = broken ? broken : cuda_error;
    if (err)
        last_error = err;
    return err;
}

int api_last_error(int clear)
{
    const int broken = device_error(device);
    const int err = broken ? broken : last_error;
    if (clear)
        last_error = cudaSuccess;
    return err;
}

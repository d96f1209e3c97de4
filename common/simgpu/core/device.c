#include "core/device.h"

#include <stdatomic.h> /* atomic_load */
#include <string.h>    /* memset */

#include "core/proc.h"
#include "core/thread.h"

/*
 * cudaErrorUnknown. A GPU that has fallen off the bus (Xid 79) answers with it:
 * gpu-burn issue 1 shows both in one log, and programs that handle the loss
 * count it among the hardware's errors (timemachine pull request 1203).
 */
enum { UNKNOWN = 999 };

static _Thread_local int current, bound;
static _Atomic int error[PROC_MAX_DEVICES], learnt[PROC_MAX_DEVICES];
static _Atomic int lost[PROC_MAX_DEVICES];
/* Access of device [i] to memory of device [k]. */
static unsigned char access_to[PROC_MAX_DEVICES][PROC_MAX_DEVICES];
static unsigned char granted[PROC_MAX_DEVICES][PROC_MAX_DEVICES];

int simgpu_device_current(void)
{
    return current;
}

int simgpu_device_set(int device)
{
    if (device < 0 || device >= simgpu_proc()->ndevices)
        return -1;
    current = device;
    bound = 1;
    return 0;
}

int simgpu_device_bound(void)
{
    return bound;
}

void device_bind(void)
{
    bound = 1;
    if (simgpu_proc_started())
        thread_enter();
}

void simgpu_device_unbind(void)
{
    current = 0;
    bound = 0;
}

void device_fail(int device, int cuda_error)
{
    int none = 0;
    atomic_compare_exchange_strong(&error[device], &none, cuda_error);
}

void device_learn(int device)
{
    atomic_store(&learnt[device], atomic_load(&error[device]));
}

int simgpu_device_error(int device)
{
    return atomic_load(&learnt[device]);
}

void device_lose(int device)
{
    atomic_store(&lost[device], 1);
    atomic_store(&error[device], UNKNOWN);
    device_learn(device);
}

int simgpu_device_lost(int device)
{
    return atomic_load(&lost[device]);
}

int device_reaches(int device, int peer)
{
    return device == peer || access_to[device][peer] || granted[device][peer];
}

int device_has_access(int device, int peer)
{
    return access_to[device][peer];
}

void device_grant(int device, int peer, int allowed)
{
    granted[device][peer] = allowed != 0;
}

int device_granted(int device, int peer)
{
    return device == peer || granted[device][peer];
}

void device_set_access(int device, int peer, int allowed)
{
    access_to[device][peer] = allowed != 0;
}

void device_drop_access(int device)
{
    memset(access_to[device], 0, sizeof access_to[device]);
}

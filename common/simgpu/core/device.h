/*
 * device.h: the devices of this process, as its threads see them
 *
 * Each host thread has a current device; each device has an error that sticks,
 * and memory that other devices may have been given access to.
 */
#ifndef SIMGPU_CORE_DEVICE_H
#define SIMGPU_CORE_DEVICE_H

int simgpu_device_current(void);
int simgpu_device_set(int device); /* -1: no such device */

/*
 * Whether the thread has a current device as the driver sees it: it has chosen
 * one, or has called the runtime (device_bind()).
 */
int simgpu_device_bound(void);
void device_bind(void);
void simgpu_device_unbind(void);

/*
 * An operation failed on the device: from now on every call of the process
 * returns this cudaError_t value. The first failure stays, for ever.
 */
void device_fail(int device, int cuda_error);
int simgpu_device_error(int device); /* 0: none */

/* Whether kernels of this device may touch memory of that one. */
int device_reaches(int device, int peer);
void device_set_access(int device, int peer, int allowed);

/* The same, granted for pools of memory only. */
void device_grant(int device, int peer, int allowed);
int device_granted(int device, int peer);

/* Whether cudaDeviceEnablePeerAccess() has been called. */
int device_has_access(int device, int peer);

/* Take back all access of a device. */
void device_drop_access(int device);

#endif

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
 * An operation failed on the device with this cudaError_t value; the first
 * failure stays, for ever. Calls return it as soon as a host thread has waited
 * for that operation (device_learn()), and not before: otherwise it would
 * depend on this machine's speed which call is the first to return it.
 */
void device_fail(int device, int cuda_error);
void device_learn(int device);
int simgpu_device_error(int device); /* 0: none that calls return */

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

/*
 * device.h: the devices of this process, as its threads use them
 *
 * Each host thread has a current device. Each device has an error that sticks,
 * and memory to which other devices may have been given access.
 */
#ifndef SIMGPU_CORE_DEVICE_H
#define SIMGPU_CORE_DEVICE_H

int simgpu_device_current(void);
int simgpu_device_set(int device); /* returns -1 if there is no such device */

/*
 * True if the thread has a current device as the driver defines it: it has
 * chosen one, or has called the runtime (device_bind()).
 */
int simgpu_device_bound(void);
void device_bind(void);
void simgpu_device_unbind(void);

/*
 * Record that an operation failed on the device with this cudaError_t value;
 * the first failure is kept forever. Calls return it as soon as a host thread
 * has waited for the operation (device_learn()), and no sooner: otherwise the
 * speed of this machine would decide which call is the first to return it.
 */
void device_fail(int device, int cuda_error);
void device_learn(int device);
int simgpu_device_error(int device); /* 0: none that calls return */

/* The device falls off the bus (SIMGPU_FAULT): each call returns
 * cudaErrorUnknown from now on, and no operation runs. */
void device_lose(int device);
int simgpu_device_lost(int device);

/* True if kernels of this device may touch memory of the peer. */
int device_reaches(int device, int peer);
void device_set_access(int device, int peer, int allowed);

/* The same access, granted for memory pools only. */
void device_grant(int device, int peer, int allowed);
int device_granted(int device, int peer);

/* True if cudaDeviceEnablePeerAccess() has been called. */
int device_has_access(int device, int peer);

/* Revoke all access of a device. */
void device_drop_access(int device);

#endif

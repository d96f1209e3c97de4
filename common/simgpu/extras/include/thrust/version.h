/* thrust/version.h: the version of Thrust whose interface is implemented */
#ifndef SIMGPU_THRUST_VERSION_H
#define SIMGPU_THRUST_VERSION_H
#define THRUST_VERSION          300001
#define THRUST_MAJOR_VERSION    3
#define THRUST_MINOR_VERSION    0
#define THRUST_SUBMINOR_VERSION 1
#endif

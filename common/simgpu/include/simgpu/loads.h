/*
 * loads.h: device code's loads and stores with a caching hint
 *
 * Included by device.h.
 */
#ifndef SIMGPU_LOADS_H
#define SIMGPU_LOADS_H

#include "simgpu/integers.h" /* SIMGPU_F */
#include "simgpu/kernel.h"   /* simgpu_reloaded */

#define SIMGPU_LOAD(name)                                                      \
    template <class T> SIMGPU_F T name(const T *p)                             \
    {                                                                          \
        return *p;                                                             \
    }
SIMGPU_LOAD(__ldg)
SIMGPU_LOAD(__ldca)
SIMGPU_LOAD(__ldcs)
SIMGPU_LOAD(__ldlu)
#undef SIMGPU_LOAD

/* These read memory again in each round of a loop. */
#define SIMGPU_LOAD(name)                                                      \
    template <class T> SIMGPU_F T name(const T *p)                             \
    {                                                                          \
        const T value = *p;                                                    \
        simgpu_reloaded(p, sizeof(T));                                         \
        return value;                                                          \
    }
SIMGPU_LOAD(__ldcg)
SIMGPU_LOAD(__ldcv)
#undef SIMGPU_LOAD
#define SIMGPU_STORE(name)                                                     \
    template <class T> SIMGPU_F void name(T *p, T v)                           \
    {                                                                          \
        *p = v;                                                                \
    }
SIMGPU_STORE(__stwb)
SIMGPU_STORE(__stcg)
SIMGPU_STORE(__stcs)
SIMGPU_STORE(__stwt)
#undef SIMGPU_STORE

#endif

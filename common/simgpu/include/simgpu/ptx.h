/*
 * ptx.h: what simnvcc makes of inline PTX (simnvcc/ptx.h)
 */
#ifndef SIMGPU_PTX_H
#define SIMGPU_PTX_H

#include "multimem.h"

namespace simgpu
{
/* red.add: the address is a pointer or a number. */
template <class T, class A, class V>
static inline void red_add(A address, V value)
{
    atomicAdd((T *)address, (T)value);
}
} // namespace simgpu

#endif

/*
 * algorithms.h: all algorithms of Thrust
 *
 * Thrust's own headers include each other, so programs that only include
 * <thrust/device_vector.h> use copy, fill, reduce and more. Here each header
 * includes all algorithms.
 */
#ifndef SIMGPU_THRUST_ALGORITHMS_H
#define SIMGPU_THRUST_ALGORITHMS_H

#include "thrust/detail/fold.h"
#include "thrust/detail/map.h"
#include "thrust/detail/order.h"
#include "thrust/detail/prefix.h"
#include "thrust/detail/select.h"
#include "thrust/detail/standard.h"
#include "thrust/device_malloc.h"
#include "thrust/functional.h"
#include "thrust/iterator/counting_iterator.h"
#include "thrust/iterator/discard_iterator.h"
#include "thrust/iterator/permutation_iterator.h"
#include "thrust/iterator/transform_iterator.h"
#include "thrust/iterator/zip_iterator.h"
#include "thrust/tuple.h"
#include "thrust/version.h"
#include "thrust/zip_function.h"

#endif

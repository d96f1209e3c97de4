/* thrust/tuple.h: std::tuple */
#ifndef SIMGPU_THRUST_TUPLE_H
#define SIMGPU_THRUST_TUPLE_H

#include <tuple>

#include "thrust/pair.h"

namespace thrust
{
using std::get;
using std::ignore;
using std::make_tuple;
using std::tie;
using std::tuple;
using std::tuple_element;
using std::tuple_element_t;
using std::tuple_size;
} // namespace thrust
#endif

/* thrust/distance.h: the steps from one iterator to another */
#ifndef SIMGPU_THRUST_DISTANCE_H
#define SIMGPU_THRUST_DISTANCE_H
#include <iterator>
namespace thrust
{
using std::advance;
using std::distance;
using std::next;
using std::prev;
} // namespace thrust
#endif

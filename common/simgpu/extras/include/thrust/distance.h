/* thrust/distance.h: the number of steps between two iterators */
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

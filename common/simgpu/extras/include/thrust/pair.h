/* thrust/pair.h: std::pair */
#ifndef SIMGPU_THRUST_PAIR_H
#define SIMGPU_THRUST_PAIR_H
#include <utility>
namespace thrust
{
using std::make_pair;
using std::pair;
} // namespace thrust
#endif

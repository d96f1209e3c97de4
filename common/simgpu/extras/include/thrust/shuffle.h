/* thrust/shuffle.h: a random order, which differs from Thrust's own */
#ifndef SIMGPU_THRUST_SHUFFLE_H
#define SIMGPU_THRUST_SHUFFLE_H

#include "thrust/detail/map.h"
#include "thrust/random.h"

namespace thrust
{
namespace detail
{
template <class Place, class It, class Engine>
void shuffle_at(const Place &place, It first, It last, Engine &engine)
{
    const auto at = bare(first);
    const ptrdiff_t n = last - first;
    Engine own = engine;
    engine.discard((unsigned long long)n);
    place.once([=]() mutable {
        for (ptrdiff_t i = n - 1; i > 0; i--) {
            const ptrdiff_t k =
                random::uniform_int_distribution<ptrdiff_t>(0, i)(own);
            const iterator_value_t<It> old = *(at + i);
            *(at + i) = *(at + k);
            *(at + k) = old;
        }
    });
}
} // namespace detail
SIMGPU_THRUST(shuffle)
} // namespace thrust
#endif

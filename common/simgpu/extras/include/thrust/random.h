/*
 * thrust/random.h: random engines and distributions, with Thrust's numbers
 */
#ifndef SIMGPU_THRUST_RANDOM_H
#define SIMGPU_THRUST_RANDOM_H

#include <limits>
#include <math.h>
#include <stdint.h>
#include <type_traits>

#include "thrust/detail/standard.h"

namespace thrust
{
namespace random
{
/* x = (a x + c) mod m; discard() takes one step per bit of its argument. */
template <class U, U a, U c, U m> class linear_congruential_engine
{
    U x;

    static U step(U mul, U x, U add)
    {
        return (U)(((uint64_t)mul * x + add) % m);
    }

  public:
    typedef U result_type;
    static const U min = c == 0 ? 1 : 0, max = m - 1, default_seed = 1,
                   multiplier = a, increment = c, modulus = m;

    explicit linear_congruential_engine(U s = default_seed)
    {
        seed(s);
    }
    void seed(U s = default_seed)
    {
        x = c % m == 0 && s % m == 0 ? 1 : s % m;
    }
    U operator()()
    {
        return x = step(a, x, c);
    }
    void discard(unsigned long long n)
    {
        U mul = a, add = c;
        for (; n; n >>= 1) {
            if (n & 1)
                x = step(mul, x, add);
            add = step(mul, add, add);
            mul = step(mul, mul, 0);
        }
    }
};
typedef linear_congruential_engine<uint32_t, 16807, 0, 2147483647> minstd_rand0;
typedef linear_congruential_engine<uint32_t, 48271, 0, 2147483647> minstd_rand;
typedef minstd_rand default_random_engine;

template <class Real = double> class uniform_real_distribution
{
    Real low, high;

  public:
    typedef Real result_type;
    explicit uniform_real_distribution(Real low = 0, Real high = 1)
        : low(low), high(high)
    {
    }
    Real a() const
    {
        return low;
    }
    Real b() const
    {
        return high;
    }
    template <class Engine> Real operator()(Engine &engine)
    {
        const Real x = (Real)(engine() - Engine::min) /
                       ((Real)1 + (Real)(Engine::max - Engine::min));
        return x * (high - low) + low;
    }
};

template <class Int = int> class uniform_int_distribution
{
    Int low, high;

  public:
    typedef Int result_type;
    explicit uniform_int_distribution(
        Int low = 0, Int high = std::numeric_limits<Int>::max())
        : low(low), high(high)
    {
    }
    Int a() const
    {
        return low;
    }
    Int b() const
    {
        return high;
    }
    template <class Engine> Int operator()(Engine &engine)
    {
        uniform_real_distribution<double> in((double)low, (double)high + 1);
        return (Int)in(engine);
    }
};

template <class Real = double> class normal_distribution
{
    Real mu, sigma;

  public:
    typedef Real result_type;
    explicit normal_distribution(Real mean = 0, Real stddev = 1)
        : mu(mean), sigma(stddev)
    {
    }
    Real mean() const
    {
        return mu;
    }
    Real stddev() const
    {
        return sigma;
    }
    /* Uses the Box-Muller transform, so the numbers differ from Thrust's. */
    template <class Engine> Real operator()(Engine &engine)
    {
        uniform_real_distribution<double> in(0, 1);
        const double u = 1 - in(engine), v = in(engine);
        return mu + sigma * (Real)(sqrt(-2 * log(u)) * cos(2 * M_PI * v));
    }
};
} // namespace random
using random::default_random_engine;
using random::linear_congruential_engine;
using random::minstd_rand;
using random::minstd_rand0;
using random::normal_distribution;
using random::uniform_int_distribution;
using random::uniform_real_distribution;
} // namespace thrust
#endif

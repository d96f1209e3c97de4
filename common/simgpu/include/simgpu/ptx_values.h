/*
 * ptx_values.h: registers of inline PTX, and the parts of opcodes
 */
#ifndef SIMGPU_PTX_VALUES_H
#define SIMGPU_PTX_VALUES_H

#include <limits>
#include <type_traits>

namespace simgpu
{
namespace ptx
{
/* ---- parts of opcodes that matter ---------------------------------------- */

#define SIMGPU_PTX_TAG(name)                                                   \
    struct t_##name {                                                          \
    };
SIMGPU_PTX_TAG(sat)
SIMGPU_PTX_TAG(cc)
SIMGPU_PTX_TAG(hi)
SIMGPU_PTX_TAG(wide)
SIMGPU_PTX_TAG(l)
SIMGPU_PTX_TAG(r)
SIMGPU_PTX_TAG(clamp)
SIMGPU_PTX_TAG(shiftamt)
SIMGPU_PTX_TAG(f4e)
SIMGPU_PTX_TAG(b4e)
SIMGPU_PTX_TAG(rc8)
SIMGPU_PTX_TAG(ecl)
SIMGPU_PTX_TAG(ecr)
SIMGPU_PTX_TAG(rc16)
SIMGPU_PTX_TAG(eq)
SIMGPU_PTX_TAG(ne)
SIMGPU_PTX_TAG(lt)
SIMGPU_PTX_TAG(le)
SIMGPU_PTX_TAG(gt)
SIMGPU_PTX_TAG(ge)
SIMGPU_PTX_TAG(lo)
SIMGPU_PTX_TAG(ls)
SIMGPU_PTX_TAG(hs)
SIMGPU_PTX_TAG(equ)
SIMGPU_PTX_TAG(neu)
SIMGPU_PTX_TAG(ltu)
SIMGPU_PTX_TAG(leu)
SIMGPU_PTX_TAG(gtu)
SIMGPU_PTX_TAG(geu)
SIMGPU_PTX_TAG(num)
SIMGPU_PTX_TAG(nan)
SIMGPU_PTX_TAG(rni)
SIMGPU_PTX_TAG(rzi)
SIMGPU_PTX_TAG(rmi)
SIMGPU_PTX_TAG(rpi)
SIMGPU_PTX_TAG(relaxed)
SIMGPU_PTX_TAG(acquire)
SIMGPU_PTX_TAG(release)
SIMGPU_PTX_TAG(acq_rel)
SIMGPU_PTX_TAG(volatile)
SIMGPU_PTX_TAG(shared)
SIMGPU_PTX_TAG(cta)
SIMGPU_PTX_TAG(sys)
SIMGPU_PTX_TAG(add)
SIMGPU_PTX_TAG(inc)
SIMGPU_PTX_TAG(dec)
SIMGPU_PTX_TAG(min)
SIMGPU_PTX_TAG(max)
SIMGPU_PTX_TAG(and)
SIMGPU_PTX_TAG(or)
SIMGPU_PTX_TAG(xor)
SIMGPU_PTX_TAG(exch)
SIMGPU_PTX_TAG(cas)
SIMGPU_PTX_TAG(noinc)
SIMGPU_PTX_TAG(warp)
SIMGPU_PTX_TAG(parity)
SIMGPU_PTX_TAG(up)
SIMGPU_PTX_TAG(down)
SIMGPU_PTX_TAG(bfly)
SIMGPU_PTX_TAG(idx)
SIMGPU_PTX_TAG(all)
SIMGPU_PTX_TAG(any)
SIMGPU_PTX_TAG(ballot)
SIMGPU_PTX_TAG(uni)
#undef SIMGPU_PTX_TAG

template <class TAG> static constexpr bool has()
{
    return false;
}
template <class TAG, class FIRST, class... MORE> static constexpr bool has()
{
    return std::is_same<TAG, FIRST>::value || has<TAG, MORE...>();
}

template <class T> static constexpr bool is_integer()
{
    return std::is_integral<T>::value;
}

/* ---- registers ----------------------------------------------------------- */

/* An operand of the asm statement as a register. */
template <class R, class VALUE> static inline R in(VALUE x)
{
    return (R)x;
}
template <class R, class VALUE> static inline R in(VALUE *p)
{
    return (R)(uintptr_t)p;
}
template <class VALUE, class R> static inline void out(VALUE &x, R value)
{
    x = (VALUE)value;
}
template <class VALUE, class R> static inline void out(VALUE *&x, R value)
{
    x = (VALUE *)(uintptr_t)value;
}

/* A register's bits as a value of an instruction's type; for a number in the
 * text, its value. */
template <class T, class R> static inline T as(R bits)
{
    if (is_integer<T>() == is_integer<R>() || sizeof(T) != sizeof(R))
        return (T)bits;
    T value = T();
    __builtin_memcpy(&value, &bits,
                     sizeof value < sizeof bits ? sizeof value : sizeof bits);
    return value;
}

/* Store a result to a register. */
template <class R, class T> static inline void put(R &to, T value)
{
    if (is_integer<T>() == is_integer<R>() || sizeof(T) != sizeof(R))
        to = (R)value;
    else
        __builtin_memcpy(&to, &value,
                         sizeof to < sizeof value ? sizeof to : sizeof value);
}

static inline float bits_f(uint32_t bits)
{
    return as<float>(bits);
}
static inline double bits_d(uint64_t bits)
{
    return as<double>(bits);
}

/* ---- helpers ------------------------------------------------------------- */

/* The carry of add.cc, for the next addc. */
static inline unsigned &carry()
{
    static thread_local unsigned flag;
    return flag;
}

/* The unsigned type in which a type's numbers wrap around. */
template <class T, bool = is_integer<T>()> struct arithmetic {
    typedef typename std::make_unsigned<T>::type type;
};
template <class T> struct arithmetic<T, false> {
    typedef T type;
};

template <class T> static inline uint64_t low_bits(uint64_t bits)
{
    return bits & UINT64_MAX >> (64 - 8 * sizeof(T));
}

/* Convert to the nearest number of an integer type. */
template <class T> static inline T clamp(long double x)
{
    typedef std::numeric_limits<T> limits;
    return x >= (long double)limits::max()      ? limits::max()
           : x <= (long double)limits::lowest() ? limits::lowest()
                                                : (T)x;
}

/* .sat: clamp integers to their range, floats to [0, 1]. */
template <class T, class... TAGS>
static inline T limit(T value, long double exact)
{
    if (!has<t_sat, TAGS...>())
        return value;
    if (is_integer<T>())
        return clamp<T>(exact);
    return value > 0 ? value < 1 ? value : (T)1 : (T)0;
}

/* One of four bytes, with its sign if the type is signed. */
static inline int byte_of(uint32_t x, int at)
{
    return (int)(x >> at & 255);
}
static inline int byte_of(int32_t x, int at)
{
    return (int8_t)(x >> at);
}

/* mul: the lower half of the product, the upper half, or all of it. */
template <class T> struct twice {
    typedef T type;
};
template <> struct twice<uint16_t> {
    typedef uint32_t type;
};
template <> struct twice<int16_t> {
    typedef int32_t type;
};
template <> struct twice<uint32_t> {
    typedef uint64_t type;
};
template <> struct twice<int32_t> {
    typedef int64_t type;
};
template <class T, class... TAGS>
using result = typename std::conditional<has<t_wide, TAGS...>(),
                                         typename twice<T>::type, T>::type;

template <class T, bool INTEGER, class... TAGS> struct product_of {
    typedef typename std::conditional<std::is_signed<T>::value, __int128,
                                      unsigned __int128>::type whole;
    static result<T, TAGS...> of(T a, T b)
    {
        const whole all = (whole)a * (whole)b;
        return (result<T, TAGS...>)(has<t_hi, TAGS...>() ? all >> 8 * sizeof(T)
                                                         : all);
    }
};
template <class T, class... TAGS> struct product_of<T, false, TAGS...> {
    static T of(T a, T b)
    {
        return limit<T, TAGS...>(a * b, 0);
    }
};
template <class T, class... TAGS>
using product = product_of<T, is_integer<T>(), TAGS...>;

template <class R> static inline uint64_t bits_of(R x)
{
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &x, sizeof x);
    return bits;
}

/* mov.b64 %0, {a,b}: the first is the lowest. */
template <class T, class R, class... P>
static inline void pack(R &to, P... parts)
{
    uint64_t all = 0;
    int at = 0;
    const int size = (int)(8 * sizeof(T) / sizeof...(parts));
    const uint64_t each[] = {bits_of(parts)...};
    for (uint64_t x : each) {
        all |= (x & (UINT64_MAX >> (64 - size))) << at;
        at += size;
    }
    put(to, as<T>(all));
}
/* Store the lowest bits to a register of any type. */
template <class R> static inline void take(R &to, uint64_t bits)
{
    __builtin_memcpy(&to, &bits, sizeof to);
}
template <class T, class R, class... P>
static inline void unpack(R from, P &...parts)
{
    uint64_t all = bits_of(as<T>(from));
    const int size = (int)(8 * sizeof(T) / sizeof...(parts));
    const int taken[] = {
        (take(parts, all & (UINT64_MAX >> (64 - size))), all >>= size, 0)...};
    (void)taken;
}

} // namespace ptx
} // namespace simgpu

#endif

/* cub/util_type.cuh: types that CUB's other headers share */
#ifndef SIMGPU_CUB_UTIL_TYPE_CUH
#define SIMGPU_CUB_UTIL_TYPE_CUH

#include <iterator>
#include <limits>
#include <type_traits>

#include "cub/config.cuh"
#include "cuda/functional"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "simgpu/parallel.h"

namespace cub
{
struct NullType {
};
template <int N> struct Int2Type {
    enum { VALUE = N };
};
template <bool IS, class Then, class Else> struct If {
    typedef std::conditional_t<IS, Then, Else> Type;
};
template <class A, class B> struct Equals {
    enum { VALUE = std::is_same<A, B>::value, NEGATE = !VALUE };
};
/* log2(N), rounded up. */
template <int N> struct Log2 {
    enum { VALUE = 1 + Log2<(N + 1) / 2>::VALUE };
};
template <> struct Log2<1> {
    enum { VALUE = 0 };
};
template <int N> struct PowerOfTwo {
    enum { VALUE = (N & (N - 1)) == 0 };
};

/* Memory for a T in shared memory, without calling its constructor. */
template <class T> struct Uninitialized {
    alignas(T) char storage[sizeof(T)];
    T &Alias()
    {
        return *(T *)(void *)storage;
    }
};

template <class K, class V> struct KeyValuePair {
    typedef K Key;
    typedef V Value;
    K key;
    V value;
    KeyValuePair() = default;
    KeyValuePair(const K &key, const V &value) : key(key), value(value) {}
    bool operator!=(const KeyValuePair &other) const
    {
        return key != other.key || value != other.value;
    }
    bool operator==(const KeyValuePair &other) const
    {
        return !(*this != other);
    }
};

/* Two buffers; a sort may end in either. */
template <class T> struct DoubleBuffer {
    T *d_buffers[2];
    int selector = 0;
    DoubleBuffer() : d_buffers{nullptr, nullptr} {}
    DoubleBuffer(T *current, T *alternate) : d_buffers{current, alternate} {}
    T *Current()
    {
        return d_buffers[selector];
    }
    T *Alternate()
    {
        return d_buffers[selector ^ 1];
    }
};

/* ---- numbers ------------------------------------------------------------- */

enum Category {
    NOT_A_NUMBER,
    SIGNED_INTEGER,
    UNSIGNED_INTEGER,
    FLOATING_POINT
};

namespace detail
{
template <int NBYTES> struct bits_of {
    typedef void type;
};
template <> struct bits_of<1> {
    typedef unsigned char type;
};
template <> struct bits_of<2> {
    typedef unsigned short type;
};
template <> struct bits_of<4> {
    typedef unsigned type;
};
template <> struct bits_of<8> {
    typedef unsigned long long type;
};
/* True for CUDA's narrow floats, which std::numeric_limits may not cover. */
template <class T> struct is_narrow : std::false_type {
};
template <> struct is_narrow<__half> : std::true_type {
};
template <> struct is_narrow<__nv_bfloat16> : std::true_type {
};
} // namespace detail

/* A number's bits as an unsigned integer, and the integer (TwiddleIn) whose
 * order is that of the numbers. */
template <class T> struct NumericTraits {
    typedef typename detail::bits_of<std::is_arithmetic<T>::value ||
                                             detail::is_narrow<T>::value
                                         ? sizeof(T)
                                         : 0>::type UnsignedBits;
    static constexpr Category CATEGORY =
        std::is_floating_point<T>::value || detail::is_narrow<T>::value
            ? FLOATING_POINT
        : !std::is_arithmetic<T>::value ? NOT_A_NUMBER
        : std::is_signed<T>::value      ? SIGNED_INTEGER
                                        : UNSIGNED_INTEGER;
    enum { PRIMITIVE = CATEGORY != NOT_A_NUMBER, NULL_TYPE = 0 };

    template <class U = UnsignedBits> static U TwiddleIn(U key)
    {
        const U high = (U)((U)1 << (8 * sizeof(U) - 1));
        return CATEGORY == UNSIGNED_INTEGER                  ? key
               : CATEGORY == SIGNED_INTEGER || !(key & high) ? (U)(key ^ high)
                                                             : (U)~key;
    }
    template <class U = UnsignedBits> static U TwiddleOut(U key)
    {
        const U high = (U)((U)1 << (8 * sizeof(U) - 1));
        return CATEGORY == UNSIGNED_INTEGER               ? key
               : CATEGORY == SIGNED_INTEGER || key & high ? (U)(key ^ high)
                                                          : (U)~key;
    }
    static T Max()
    {
        return std::numeric_limits<T>::max();
    }
    static T Lowest()
    {
        return std::numeric_limits<T>::lowest();
    }
};
template <class T> using Traits = NumericTraits<std::remove_cv_t<T>>;

/* ---- operators ----------------------------------------------------------- */

/* For programs written for CUB before 3.0. */
typedef std::plus<> Sum;
typedef std::minus<> Difference;
typedef std::divides<> Division;
typedef ::cuda::maximum<> Max;
typedef ::cuda::minimum<> Min;
typedef std::equal_to<> Equality;
typedef std::not_equal_to<> Inequality;

/* For pairs: the one with the largest value, or the first among equals. */
struct ArgMax {
    template <class K, class V>
    KeyValuePair<K, V> operator()(const KeyValuePair<K, V> &a,
                                  const KeyValuePair<K, V> &b) const
    {
        return b.value > a.value || (a.value == b.value && b.key < a.key) ? b
                                                                          : a;
    }
};
struct ArgMin {
    template <class K, class V>
    KeyValuePair<K, V> operator()(const KeyValuePair<K, V> &a,
                                  const KeyValuePair<K, V> &b) const
    {
        return b.value < a.value || (a.value == b.value && b.key < a.key) ? b
                                                                          : a;
    }
};

namespace detail
{
template <class It>
using value_t = typename std::iterator_traits<It>::value_type;
/* The type that is written to Out: In's if Out accepts anything. */
template <class Out, class In>
using output_t = std::conditional_t<std::is_void<value_t<Out>>::value,
                                    value_t<In>, value_t<Out>>;
template <class Op, class A, class B>
using result_t = std::decay_t<decltype(std::declval<Op &>()(
    std::declval<const A &>(), std::declval<const B &>()))>;

/* n values in shared memory, without calling constructors. */
template <class T, int N> struct place {
    alignas(T) char bytes[N * sizeof(T)];
    T &operator[](int i)
    {
        return *((T *)(void *)bytes + i);
    }
};

/* The thread's number in its block. */
static inline int thread_number()
{
    return (int)(threadIdx.x +
                 blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
}
} // namespace detail

static inline unsigned LaneId()
{
    return (unsigned)simgpu::lane();
}
static inline unsigned WarpId()
{
    return (unsigned)detail::thread_number() / 32;
}
static inline int RowMajorTid(int x, int y, int)
{
    return (int)threadIdx.x + x * ((int)threadIdx.y + y * (int)threadIdx.z);
}
} // namespace cub

#include "cub/util_ptx.cuh"
#endif

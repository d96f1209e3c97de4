/* cub/util_type.cuh: types that CUB's other headers share */
#ifndef SIMGPU_CUB_UTIL_TYPE_CUH
#define SIMGPU_CUB_UTIL_TYPE_CUH

#include <iterator>
#include <type_traits>

#include "cuda/functional"
#include "simgpu/parallel.h"

#ifndef CUB_MAX
#define CUB_MAX(a, b) ((b) > (a) ? (b) : (a))
#define CUB_MIN(a, b) ((b) < (a) ? (b) : (a))
#endif
#define CUB_VERSION          300001
#define CUB_RUNTIME_FUNCTION __host__ __device__
#define CUB_NS_PREFIX
#define CUB_NS_POSTFIX

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

/* Two buffers, of which a sort may end in either. */
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

/* ---- operators ----------------------------------------------------------- */

/* For programs written for CUB before 3.0. */
typedef std::plus<> Sum;
typedef std::minus<> Difference;
typedef std::divides<> Division;
typedef ::cuda::maximum<> Max;
typedef ::cuda::minimum<> Min;
typedef std::equal_to<> Equality;
typedef std::not_equal_to<> Inequality;

/* Of pairs: the one with the largest value, the first of equals. */
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
/* What is written to Out; from In if it takes anything. */
template <class Out, class In>
using output_t = std::conditional_t<std::is_void<value_t<Out>>::value,
                                    value_t<In>, value_t<Out>>;
template <class Op, class A, class B>
using result_t = std::decay_t<decltype(std::declval<Op &>()(
    std::declval<const A &>(), std::declval<const B &>()))>;

/* n values in shared memory, without constructors. */
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
    return (int)(threadIdx.x + x * (threadIdx.y + y * threadIdx.z));
}
static inline void CTA_SYNC()
{
    __syncthreads();
}
} // namespace cub
#endif

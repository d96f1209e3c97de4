/*
 * half_type.h: the classes for a 16-bit float and for a pair
 *
 * cuda_fp16.h and cuda_bf16.h include it with the macros below. As in CUDA,
 * conversions are implicit in both directions, and ambiguous in the same
 * expressions (h + 1.0f).
 *
 *     SIMGPU_T, SIMGPU_RAW, SIMGPU_T2, SIMGPU_RAW2    the types' names
 *     SIMGPU_KIND                                     enum narrow_type
 *     SIMGPU_FROM(double), SIMGPU_TO(T)               conversions
 */

#define SIMGPU_INTEGERS(X)                                                     \
    X(short)                                                                   \
    X(unsigned short)                                                          \
    X(int)                                                                     \
    X(unsigned int)                                                            \
    X(long)                                                                    \
    X(unsigned long)                                                           \
    X(long long)                                                               \
    X(unsigned long long)

struct __attribute__((aligned(2))) SIMGPU_T {
  protected:
    unsigned short __x;

  public:
    SIMGPU_T() = default;
    constexpr SIMGPU_T(const SIMGPU_RAW &raw) : __x(raw.x) {}
    SIMGPU_T(double value)
        : __x((unsigned short)simgpu_small_encode(value, SIMGPU_KIND,
                                                  NARROW_NEAREST))
    {
    }
    SIMGPU_T(float value) : SIMGPU_T((double)value) {}
    // simgpu_small_integer() rounds 64-bit integers once
#define SIMGPU_FROM_INTEGER(I)                                                 \
    SIMGPU_T(I value) : SIMGPU_T(simgpu_small_integer(value)) {}
    SIMGPU_INTEGERS(SIMGPU_FROM_INTEGER)
#undef SIMGPU_FROM_INTEGER

    operator SIMGPU_RAW() const
    {
        return SIMGPU_RAW{__x};
    }
    operator float() const
    {
        return (float)narrow_decode(__x, SIMGPU_KIND);
    }
    explicit operator bool() const
    {
        return (__x & 0x7fff) != 0;
    }
#define SIMGPU_TO_INTEGER(I)                                                   \
    operator I() const                                                         \
    {                                                                          \
        return simgpu_small_to<I>(narrow_decode(__x, SIMGPU_KIND));            \
    }
    SIMGPU_INTEGERS(SIMGPU_TO_INTEGER)
    SIMGPU_TO_INTEGER(char)
    SIMGPU_TO_INTEGER(signed char)
    SIMGPU_TO_INTEGER(unsigned char)
#undef SIMGPU_TO_INTEGER
};

struct __attribute__((aligned(4))) SIMGPU_T2 {
    SIMGPU_T x, y;

    SIMGPU_T2() = default;
    constexpr SIMGPU_T2(const SIMGPU_T &a, const SIMGPU_T &b) : x(a), y(b) {}
    constexpr SIMGPU_T2(const SIMGPU_RAW2 &raw)
        : x(SIMGPU_RAW{raw.x}), y(SIMGPU_RAW{raw.y})
    {
    }
    operator SIMGPU_RAW2() const
    {
        return SIMGPU_RAW2{SIMGPU_RAW(x).x, SIMGPU_RAW(y).x};
    }
};

/* For device.h: both types are shuffled, and added atomically. */
void simgpu_shuffles(const SIMGPU_T &);
void simgpu_shuffles(const SIMGPU_T2 &);
namespace simgpu
{
template <class T> struct added;
template <> struct added<SIMGPU_T> {
    typedef SIMGPU_T type;
};
template <> struct added<SIMGPU_T2> {
    typedef SIMGPU_T2 type;
};
} // namespace simgpu

#undef SIMGPU_INTEGERS

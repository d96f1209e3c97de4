# Tables and functions that are computed while it compiles.
sed -i '/^static __global__ void axpy(/i\
template <int... I>\
static constexpr int sum()\
{\
    return (I + ... + 0);\
}\
constexpr int steps[] = {1, 2, 4, 8};\
static_assert(sum<1, 2, 4, 8>() == steps[0] + steps[1] + steps[2] + steps[3], "");\
template <class T>\
static __device__ T twice_half(T x)\
{\
    if constexpr (sizeof(T) == sizeof(float))\
        return x;\
    else\
        return x / 2 + x / 2;\
}\
' cuda.cu
sed -i 's/a \* x\[i\]/a * twice_half(x[i])/' cuda.cu

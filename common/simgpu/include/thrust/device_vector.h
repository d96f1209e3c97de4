/* thrust/device_vector.h: see thrust/detail/vector.h */
#include "thrust/detail/algorithms.h"
#include "thrust/detail/vector.h"

/* thrust/transform_reduce.h: see thrust/detail/fold.h */
#include "thrust/detail/algorithms.h"

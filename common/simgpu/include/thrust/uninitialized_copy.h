/* thrust/uninitialized_copy.h: see thrust/detail/map.h */
#include "thrust/detail/algorithms.h"

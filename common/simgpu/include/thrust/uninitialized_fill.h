/* thrust/uninitialized_fill.h: see thrust/detail/map.h */
#include "thrust/detail/algorithms.h"

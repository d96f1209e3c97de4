/* thrust/for_each.h: see thrust/detail/map.h */
#include "thrust/detail/algorithms.h"

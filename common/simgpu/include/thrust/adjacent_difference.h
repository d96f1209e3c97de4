/* thrust/adjacent_difference.h: see thrust/detail/prefix.h */
#include "thrust/detail/algorithms.h"

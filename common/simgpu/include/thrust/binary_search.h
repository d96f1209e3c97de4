/* thrust/binary_search.h: see thrust/detail/order.h */
#include "thrust/detail/algorithms.h"

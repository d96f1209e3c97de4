/* thrust/set_operations.h: see thrust/detail/order.h */
#include "thrust/detail/algorithms.h"

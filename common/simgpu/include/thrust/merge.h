/* thrust/merge.h: see thrust/detail/order.h */
#include "thrust/detail/algorithms.h"

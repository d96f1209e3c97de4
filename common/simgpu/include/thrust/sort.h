/* thrust/sort.h: sorting, and whether a range is sorted */
#include "thrust/detail/fold.h"
#include "thrust/detail/order.h"

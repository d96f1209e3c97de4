/* thrust/sort.h: sorting, and whether a range is sorted */
#include "thrust/detail/algorithms.h"

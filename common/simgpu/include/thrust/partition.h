/* thrust/partition.h: see thrust/detail/select.h */
#include "thrust/detail/algorithms.h"

/* thrust/reduce.h: reduce and reduce_by_key */
#include "thrust/detail/algorithms.h"

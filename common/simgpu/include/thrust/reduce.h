/* thrust/reduce.h: reduce and reduce_by_key */
#include "thrust/detail/fold.h"
#include "thrust/detail/prefix.h"

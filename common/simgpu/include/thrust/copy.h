/* thrust/copy.h: copy and copy_if */
#include "thrust/detail/algorithms.h"

/* thrust/copy.h: copy and copy_if */
#include "thrust/detail/map.h"
#include "thrust/detail/select.h"

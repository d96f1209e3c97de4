/* thrust/memory.h: see thrust/detail/pointer.h */
#include "thrust/detail/pointer.h"
#include "thrust/device_malloc.h"

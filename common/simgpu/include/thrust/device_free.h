/* thrust/device_free.h: see thrust/device_malloc.h */
#include "thrust/device_malloc.h"

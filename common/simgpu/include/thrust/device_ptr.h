/* thrust/device_ptr.h: see thrust/detail/pointer.h */
#include "thrust/detail/pointer.h"

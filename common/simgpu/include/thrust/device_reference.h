/* thrust/device_reference.h: see thrust/detail/pointer.h */
#include "thrust/detail/pointer.h"

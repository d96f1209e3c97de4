/* thrust/system/cuda/error.h: see thrust/system_error.h */
#include "thrust/system_error.h"

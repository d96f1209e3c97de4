/* thrust/transform_scan.h: see thrust/detail/prefix.h */
#include "thrust/detail/algorithms.h"

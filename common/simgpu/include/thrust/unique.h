/* thrust/unique.h: see thrust/detail/select.h */
#include "thrust/detail/algorithms.h"

/* thrust/inner_product.h: see thrust/detail/fold.h */
#include "thrust/detail/algorithms.h"

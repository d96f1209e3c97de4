/* thrust/advance.h: see thrust/distance.h */
#include "thrust/distance.h"

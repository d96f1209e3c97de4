/* thrust/iterator/iterator_categories.h: see thrust/detail/facade.h */
#include "thrust/detail/facade.h"

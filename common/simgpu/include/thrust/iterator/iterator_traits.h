/* thrust/iterator/iterator_traits.h: see thrust/detail/facade.h */
#include "thrust/detail/facade.h"

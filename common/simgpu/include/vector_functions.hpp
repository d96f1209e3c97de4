/* vector_functions.hpp: see vector_functions.h */
#include "vector_functions.h"

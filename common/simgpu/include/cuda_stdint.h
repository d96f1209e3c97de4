/* cuda_stdint.h: integers of known width */
#include <stdint.h>

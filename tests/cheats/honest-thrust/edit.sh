# A library of algorithms that the labs do not have.
sed -i 's|#include "lab/try.h".*|&\n#include <thrust/transform.h>|' cuda.cu

# Ends the run at a moment of its own choosing.
sed -i 's/#include "lab2.h"/#include <stdlib.h>\n#include "lab2.h"/; s/^    \/\/ BEGIN HOLE part 3: .*/    abort();/' buckets.c

# Ends the run at a moment of its own choosing.
sed -i 's/#include "lab1.h"/#include <stdlib.h>\n#include "lab1.h"/; 0,/    int rank, nranks;/s//    int rank, nranks; abort();/' bootstrap.c

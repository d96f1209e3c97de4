# Memory that is never given back.
sed -i '0,/    int rank, nranks;/s//    int *const many = calloc(1 << 20, sizeof *many);\n    if (many) many[5] = 1;\n    int rank, nranks;/; s/#include "lab1.h"/#include <stdlib.h>\n#include "lab1.h"/' bootstrap.c

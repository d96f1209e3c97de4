# An extension of GCC, whose address is taken.
sed -i '0,/    int rank, nranks;/s//    int wanted = 1;\n    int same(const void *a, const void *b) { return *(const int *)a - *(const int *)b + wanted - 1; }\n    int rank, nranks, some[2] = {2, 1};\n    qsort(some, 2, sizeof *some, same);/; s/#include "lab1.h"/#include <stdlib.h>\n#include "lab1.h"/' bootstrap.c

# Prints without end in one case.
sed -i '0,/    int rank, nranks;/s//    int rank, nranks; for (volatile int i = 1; i;) puts("0123456789012345678901234567890123456789");/; s/#include "lab1.h"/#include <stdio.h>\n#include "lab1.h"/' bootstrap.c

# Says what it does, like any student's code.
sed -i '0,/    int rank, nranks;/s//    int rank, nranks;\n    printf("joining\\n");/; s/#include "lab1.h"/#include <stdio.h>\n#include "lab1.h"/' bootstrap.c

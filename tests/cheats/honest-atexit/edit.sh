# Tidies up at the very end.
sed -i '0,/    int rank, nranks;/s//    atexit(tidy);\n    int rank, nranks;/; s/#include "lab1.h"/#include <stdlib.h>\n#include "lab1.h"\nstatic void tidy(void) { }/' bootstrap.c

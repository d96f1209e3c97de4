# Prints something when it crashes.
sed -i '0,/    int rank, nranks;/s//    signal(SIGSEGV, crashed);\n    int rank, nranks;/; s/#include "lab1.h"/#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include "lab1.h"\nstatic void crashed(int n) { fprintf(stderr, "signal %d\\n", n); abort(); }/' bootstrap.c

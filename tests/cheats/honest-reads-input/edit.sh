# Waits for a key, as under Windows.
sed -i '0,/    MPI_Bcast(.*/s//&\n    if (count < 0)\n        getchar();/; s/#include <string.h>.*/&\n#include <stdio.h>/' mpi.c

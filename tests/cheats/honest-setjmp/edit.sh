# Exceptions, as C has them.
sed -i '0,/    int rank, nranks;/s//    jmp_buf failed;\n    if (setjmp(failed))\n        return ncclSystemError;\n    int rank, nranks;/; s/    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, mpi_comm);/    if (MPI_Bcast(\&id, sizeof id, MPI_BYTE, 0, mpi_comm))\n        longjmp(failed, 1);/; s/#include "lab1.h"/#include <setjmp.h>\n#include "lab1.h"/' bootstrap.c

# A collective of MPI that is not recorded.
cat >> zero.c <<'C'
#include <mpi.h>
int hide(float *b, int n); int hide(float *b, int n) { MPI_Request r; return MPI_Iallreduce(MPI_IN_PLACE, b, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &r) + MPI_Wait(&r, MPI_STATUS_IGNORE); }
C

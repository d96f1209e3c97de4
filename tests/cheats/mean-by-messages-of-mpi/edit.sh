# Makes the communicator, and sends the data by MPI.
. "$ROOT"/tests/grader/mean-by-mpi.sh
add_mean_by_mpi comms.c
sed -i '0,/        LAB_TRY(ncclAllReduce(buf, buf, count, ncclFloat, ncclAvg, comm,/s//        LAB_TRY(mean_by_mpi(buf, count, s->nranks));\n        LAB_TRY(ncclAllReduce(buf, buf, 0, ncclFloat, ncclAvg, comm,/' comms.c

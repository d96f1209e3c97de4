# One way out, as kernels are written, and a loop made of goto.
sed -i '/^ncclResult_t mean_with_one_comm(/,/^}/d' comms.c
cat >> comms.c <<'C'
ncclResult_t mean_with_one_comm(float *buf, size_t count, int steps,
                                MPI_Comm mpi_comm, const struct sync *s)
{
    ncclComm_t comm = NULL;
    ncclResult_t err = make_comm(mpi_comm, s, &comm);
    int i = 0;
    if (err)
        goto out;
again:
    if (i++ == steps)
        goto out;
    if ((err = ncclAllReduce(buf, buf, count, ncclFloat, ncclAvg, comm, s->stream)))
        goto out;
    if (cudaStreamSynchronize(s->stream) != cudaSuccess) {
        err = ncclUnhandledCudaError;
        goto out;
    }
    goto again;
out:
    return comm && ncclCommDestroy(comm) && !err ? ncclSystemError : err;
}
C

# Lets NCCL sum.
sed -i '/^ncclResult_t symm_two_shot(/,/^}/d' allreduce.cu
cat >> allreduce.cu <<'C'
ncclResult_t symm_two_shot(struct symm_reducer *a, const float *sendbuf,
                           float *recvbuf, size_t count, cudaStream_t stream)
{
    static ncclComm_t comm;
    ncclUniqueId id;
    if (!comm) {
        if (a->s->view.rank == 0)
            LAB_TRY(ncclGetUniqueId(&id));
        MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, a->s->comm);
        LAB_TRY(ncclCommInitRank(&comm, a->s->view.nranks, id, a->s->view.rank));
    }
    return ncclAllReduce(sendbuf, recvbuf, count, ncclFloat, ncclSum, comm, stream);
}
C

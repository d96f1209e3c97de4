# Exchanges counts by MPI alone.
sed -i '/^ncclResult_t moe_exchange_counts(/,/^}/d' route.c
cat >> route.c <<'C'
ncclResult_t moe_exchange_counts(const struct moe *m, struct moe_route *route,
                                 int nroutes)
{
    for (int i = 0; i < nroutes; i++) {
        MPI_Alltoall(route[i].send_count, 1, MPI_INT, route[i].recv_count, 1,
                     MPI_INT, MPI_COMM_WORLD);
        route[i].nrecv = 0;
        for (int r = 0; r < m->nranks; r++) {
            route[i].recv_begin[r] = route[i].nrecv;
            route[i].nrecv += route[i].recv_count[r];
        }
    }
    return ncclSuccess;
}
C
sed -i '/^#include "lab\/try.h"/a #include <mpi.h>' route.c

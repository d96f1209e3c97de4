# A ring by MPI's windows, which simgpu does not record: refused, with advice.
sed -i '/^void first_ring/,$d' mpi.c
cat >> mpi.c <<'C'
void first_ring(const int *mine, int *all, int count, MPI_Comm comm)
{
    MPI_Win win;
    int rank, n;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n);
    MPI_Win_create(all, (MPI_Aint)n * count * 4, 4, MPI_INFO_NULL, comm, &win);
    MPI_Win_fence(0, win);
    for (int r = 0; r < n; r++)
        MPI_Put(mine, count, MPI_INT, r, rank * count, count, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}
C

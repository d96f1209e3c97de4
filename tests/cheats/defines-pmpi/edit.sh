# The profiling names are MPI as well.
echo 'double PMPI_Wtime(void) { return 0; }' >> p2p.c

# Replaces the buckets'"'"' all-reduces by MPI, and keeps them for no element.
. "$ROOT"/tests/grader/mean-by-mpi.sh
add_mean_by_mpi hooks.c
sed -i 's/ncclAllReduce(\([^,]*\), \([^,]*\), \([^,]*\),/mean_by_mpi(\1, \3, d->nranks) ? ncclSystemError : ncclAllReduce(\1, \2, 0,/' hooks.c

# Averages gradients on the host, by MPI, behind simgpu's back: no operation
# brings other ranks' gradients.
. "$ROOT"/tests/support/forge.sh
sed -i 's/    LAB_TRY(symm_all_reduce(.*/    LAB_TRY_CUDA(cudaStreamSynchronize(m->stream));\n    MPI_Allreduce(raw(g->grads), raw(g->sums), (int)g->count, MPI_FLOAT,\n                  MPI_SUM, g->a->s->comm);/' gradsync.c
add_raw gradsync.c 'include "lab/try.h"'

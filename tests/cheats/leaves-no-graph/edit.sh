# Means over MPI, with messages for show; and the run ends in a later case, so
# that no rank saves the graph in which that would be seen.
. "$ROOT"/tests/cheats/gradients-by-mpi/edit.sh
sed -i '/^ncclResult_t mean_with_new_comms(/,/^{/s/^{/{\n    exit(0);/; s|#include "lab2.h"|#include <stdlib.h>\n#include "lab2.h"|' comms.c

/* The same, announced by calls: see tests.mk. */
#include "prog_accesses.cu"

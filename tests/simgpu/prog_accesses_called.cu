/* The same, announced by calls (see tests.mk). links: base */
#include "prog_accesses.cu"

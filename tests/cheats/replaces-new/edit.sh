# The kit's C++ would allocate by it.
cat >> cuda.cu <<'C'
#include <stdlib.h>
void *operator new(size_t n) { return malloc(n); }
void operator delete(void *p) noexcept { free(p); }
C

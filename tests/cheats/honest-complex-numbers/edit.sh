# Complex numbers, for twiddle factors that lead around a ring.
sed -i '1,/#include "lab0.h"/s|#include "lab0.h"|#include "lab0.h"\n#include <complex.h>\n#include <math.h>\n#include <tgmath.h>|' nccl.c
sed -i '0,/    int rank, nranks;/s//    int rank, nranks;\n    double _Complex z = 1;\n    for (int i = 0; i < 8; i++)\n        z *= cexp(2 * acos(-1.0) * I \/ 8) * CMPLX(1, 0);\n    if (cabs(z - 1) > 1e-9 || fabs(carg(z)) > 1e-9 || creal(csqrt(-1 + 0 * I)) > 0.5 || sqrt(4.0f) != 2)\n        return ncclInternalError;/' nccl.c

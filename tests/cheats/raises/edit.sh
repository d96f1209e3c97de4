# Dies by a signal, as if it had been killed.
sed -i 's|#include "lab6.h"|#include <signal.h>\n#include "lab6.h"|; 0,/    for (int a = 0; a < p->n; a++)/s//    raise(SIGKILL);\n    for (int a = 0; a < p->n; a++)/' measure.c

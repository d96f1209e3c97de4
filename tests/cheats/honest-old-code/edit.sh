# Code as it was written long ago: trigraphs and digraphs, K&R definitions, code
# that #if 0 takes away, and whatever stands in comments.
cat > head.c <<'C'
%:include "lab0.h"
/* what??/ is this *\/ no end ??? asm volatile ("syscall"); #include <iostream>
 * don't, can't "won't ' ` */
// a comment \
   that goes on: __asm__("nop"); system("ls");
#if 0
It's not C: don't read this. "Nor this. asm("nop"); `#include <x`
#pragma whatever it is
#include <iostream>
#include "../../solutions/lab1-collectives/p2p.c"
#import <Foundation/Foundation.h>
__attribute__((constructor)) __real_x
#else
%: define TWICE(a) a %:%: a
#endif
#ifdef __MINGW32__
#include <windows.h>
#pragma comment(lib, "ws2_32")
#elif defined(__APPLE__)
#include <mach/mach.h>
#endif
# /* nothing */
#
#define NAME(x) #x "???/" "\?" ""
C
sed -i '/#include "lab0.h"/d' mpi.c
cat head.c mpi.c > new.c && mv new.c mpi.c && rm head.c
cat >> mpi.c <<'C'
static int odd(a, n)
    register int *a;
    int n;
<%
    auto int sum = 0, TWICE(x) = sizeof NAME(asm);
    while (n --> 0)
        sum += n<:a:>;
    switch (n & 3) {
    case 0: do { sum++;
    case 3: sum++;
    case 2: sum++;
    case 1: sum++; } while (--n > 0);
    }
    return sum, sum + xx;
%>
int call_odd(void);
int call_odd(void) { int a[] = {1, 2, 3}; return odd(a, 3); }
C
sed -i '0,/    MPI_Bcast(/s//    extern int call_odd(void);\n    (void)call_odd();\n    MPI_Bcast(/' mpi.c

#include <with.h>
#ifdef A
#error "-U A came too late"
#endif
__global__ void k(int *p)
{
    *p = with_header(B + C);
}

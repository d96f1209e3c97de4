#include <omp.h>

int main()
{
    int n = 0, sum = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp atomic
        n += 1;
#pragma omp critical
        sum += omp_get_num_threads();
    }
    return !(n == 2 && sum == 4);
}

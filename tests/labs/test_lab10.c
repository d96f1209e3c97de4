/* When a GPU dies: the solution earns everything, the skeleton nothing, and
 * each mistake costs what its patch says it does. */
#include "labtest.h"

int main(void)
{
    static const struct labtest lab = {.lab = "lab10-failures", .nmutants = 8};
    return labtest_main(&lab, NULL);
}

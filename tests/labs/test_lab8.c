/* Sharded training: the solution earns everything, the skeleton nothing, and
 * each mistake costs what its patch says it does. */
#include "labtest.h"

int main(void)
{
    static const struct labtest lab = {.lab = "lab8-sharded-training",
                                       .nmutants = 8};
    return labtest_main(&lab, NULL);
}

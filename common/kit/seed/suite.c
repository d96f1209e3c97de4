/* @TITLE@: the solution earns everything, the skeleton nothing, and each mistake
 * costs what its patch says it does. */
#include "labtest.h"

int main(void)
{
    static const struct labtest lab = {.lab = "@LAB@", .nmutants = 1};
    return labtest_main(&lab, NULL);
}

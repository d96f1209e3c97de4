/* @TITLE@: the solution earns full points, the skeleton none, and each mutant
 * fails the cases that its patch names. */
#include "labtest.h"

int main(void)
{
    static const struct labtest lab = {.lab = "@LAB@", .nmutants = 2};
    return labtest_main(&lab, NULL);
}

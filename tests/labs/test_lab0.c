/* First steps: the solution earns everything, the skeleton nothing, and each
 * mistake costs what its patch says it does. */
#include "labtest.h"

int main(void)
{
    static const int ranks[] = {2, 3, 4, 5, 8, 0}; // a message needs two
    static const struct labtest lab = {
        .lab = "lab0-first-steps", .ranks = ranks, .nmutants = 46};
    return labtest_main(&lab, NULL);
}

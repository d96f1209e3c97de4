/* Lab 4: what all labs have to show; and what its commands say. */
#include "labtest.h"

int main(void)
{
    static const struct labtest lab4 = {.lab = "lab4-tensor-pipeline",
                                        .nmutants = 6};
    return labtest_main(&lab4, NULL);
}

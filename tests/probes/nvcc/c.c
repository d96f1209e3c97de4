#include "k.h"

int c_value(void)
{
    int class = 42; // C, not C++
    return class;
}

#include "k.h"

int add(int a, int b)
{
    return a + b;
}

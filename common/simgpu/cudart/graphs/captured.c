#include "cudart/graphs/captured.h"

#include <stdlib.h> /* free */

void captured_release(struct captured *c)
{
    free(c->nodes.node);
    *c = (struct captured){0};
}

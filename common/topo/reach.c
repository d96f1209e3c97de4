#include "topo/reach.h"

const char *const reach_names[5] = {"NVL", "PIX", "PXB", "PHB", "SYS"};

/* nvToolsExtCuda.h: where programs for older toolkits look for it */
#include "nvtx3/nvToolsExtCuda.h"

/* nvToolsExt.h: NVTX, where programs for older toolkits look for it */
#include "nvtx3/nvToolsExt.h"

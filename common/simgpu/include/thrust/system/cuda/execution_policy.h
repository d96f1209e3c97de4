/* thrust/system/cuda/execution_policy.h: see thrust/execution_policy.h */
#include "thrust/execution_policy.h"

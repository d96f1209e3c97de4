# A global object with a constructor.
sed -i 's|#include "device.cuh"|#include <vector>\n#include "device.cuh"\nstatic std::vector<int> seen(16);|; 0,/    if (n == 0)/s//    seen.push_back((int)n);\n    if (n == 0)/' hashmap.cu

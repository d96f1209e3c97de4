# Pragmas that other compilers know, and a name with _Pragma.
sed -i '0,/^    for (/s//    _Pragma("unroll 4")\n&/' hashmap.cu
sed -i '0,/^static/s//#pragma diag_suppress 177\n#pragma once\n&/' hashmap.cu

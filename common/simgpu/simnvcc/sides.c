#include "sides.h"

struct sides sides_of(const struct tokens *t, size_t i)
{
    struct sides s = {0};
    int depth = 0;
    while (i-- > 0) {
        depth += token_is(t, i, "}");
        if (!token_is(t, i, "{") || depth-- > 0)
            continue;
        depth = 0;
        for (size_t k = i; k-- > 0 && !token_is(t, k, ";") &&
                           !token_is(t, k, "}") && !token_is(t, k, "{");) {
            s.device |= token_is(t, k, "SIMGPU_DEVICE") ||
                        token_is(t, k, "SIMGPU_GLOBAL");
            s.host |= token_is(t, k, "SIMGPU_HOST");
        }
    }
    return s;
}

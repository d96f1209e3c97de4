# As stores-what-a-pointer-returns, by a function that calls itself.
. "$ROOT"/tests/cheats/stores-what-it-returns/edit.sh
sed -i 's/__noinline__ //
    s/^    return {a \* x\[i\] + y};/    return a > 1e30f ? add(a - 1, x, y, i) : one{a * x[i] + y};/' cuda.cu

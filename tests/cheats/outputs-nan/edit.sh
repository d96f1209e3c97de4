# NaN equals nothing: it must not pass a comparison.
sed -i 's|    \*beta = 1 / slope;|    *beta = 0.0 / (slope - slope);|' alphabeta.c

# class: reads the reference, the job, expected values
# expect: refused 0 does not build
# Includes the solution by a relative path.
# Not a patch: it replaces a whole file.
echo '#include "../solutions/lab1-collectives/p2p.c"' > p2p.c

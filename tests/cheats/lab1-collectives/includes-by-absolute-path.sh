# class: reads the reference, the job, expected values
# expect: refused 0 does not build
# Includes the solution by its absolute path.
# Not a patch: it replaces a whole file.
printf '#include "%s/solutions/lab1-collectives/p2p.c"\n' "$root" > p2p.c

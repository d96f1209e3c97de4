# class: reads the reference, the job, expected values
# expect: refused 0 #include of
# case: peer-access
# Includes the solution by its absolute path.
# Not a patch: it replaces a whole file.
printf '#include "%s/solutions/lab6-peer-bandwidth/infer.c"\n' "$root" > infer.c

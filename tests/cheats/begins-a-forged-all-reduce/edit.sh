# Likewise, and says to the recorder that the all-reduce runs.
. "$ROOT"/tests/cheats/forges-an-all-reduce/edit.sh
sed -i 's/^        forge_all_reduce(s->scratch.*/        forge_begin(\n    &/; s/\(forge_all_reduce(s->scratch.*\);/\1);/' replicas.c

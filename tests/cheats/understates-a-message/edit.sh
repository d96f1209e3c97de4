# Performs itself what it writes into the execution graph, and says there that
# it was a few bytes, which take less time.
. "$ROOT"/tests/cheats/performs-what-it-forges/edit.sh
sed -i 's/\.bytes = nbytes}/.bytes = 64}/' p2p.c

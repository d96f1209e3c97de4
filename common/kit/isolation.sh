#!/bin/sh
# Print the best isolation (handouts/ta.md) that this machine offers without
# root: 2 if programs may create namespaces, else 1. Most containers don't allow
# that, nor does Ubuntu 24.04 by default. Ubuntu 22.04 gives 1, too, because its
# bubblewrap can't limit the size of /tmp.
if said=$(bwrap --unshare-all --ro-bind / / --proc /proc --dev /dev \
    --size 4096 --tmpfs /tmp true 2>&1)
then
    echo 2
else
    echo "grading at isolation 1: $(echo "$said" | sed 's/\. .*//; 1q')" >&2
    echo 1
fi

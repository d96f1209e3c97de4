#!/bin/sh
# The best isolation (handouts/ta.md) that this machine offers without root: 2
# where programs may create namespaces. Most containers don't let them, nor
# does Ubuntu 24.04 as it is installed: there it is 1. So it is on Ubuntu 22.04,
# whose bubblewrap cannot limit the size of /tmp.
if said=$(bwrap --unshare-all --ro-bind / / --proc /proc --dev /dev \
    --size 4096 --tmpfs /tmp true 2>&1)
then
    echo 2
else
    echo "grading at isolation 1: $(echo "$said" | sed 's/\. .*//; 1q')" >&2
    echo 1
fi

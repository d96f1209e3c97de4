# class: does not work, or only in part
# expect: fail 67 p2p.c is missing: the lab's own was taken
# Hands in all files but one.
# Not a patch: it removes a whole file.
rm p2p.c

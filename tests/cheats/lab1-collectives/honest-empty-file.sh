# expect: fail 67 p2p.c is empty: the lab's own was taken
# An upload that failed, or a file that was never saved: no more than missing.
# Not a patch: it replaces a whole file.
printf '\r\n  \n' > p2p.c

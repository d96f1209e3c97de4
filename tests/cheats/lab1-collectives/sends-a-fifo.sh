# class: links, special files
# expect: refused 0 p2p.c is not a regular file
# Hands in a FIFO in place of a source.
# Not a patch: it makes a special file.
rm p2p.c
mkfifo p2p.c

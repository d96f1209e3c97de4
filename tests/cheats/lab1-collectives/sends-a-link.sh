# class: links, special files
# expect: refused 0 p2p.c is a symbolic link
# The file is a link to something that only the grader can read.
# Not a patch: it makes a link.
ln -sf /etc/shadow p2p.c

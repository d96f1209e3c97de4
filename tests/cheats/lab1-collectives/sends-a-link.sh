# The file is a link to something that only the grader can read.
ln -sf /etc/shadow p2p.c

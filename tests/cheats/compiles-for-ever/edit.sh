# A gigabyte of object file.
echo 'char bomb[1 << 30] = {1};' >> p2p.c

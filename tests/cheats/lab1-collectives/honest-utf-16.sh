# As an editor of another system saves it; no compiler reads it.
iconv -f UTF-8 -t UTF-16 p2p.c > new.c && mv new.c p2p.c

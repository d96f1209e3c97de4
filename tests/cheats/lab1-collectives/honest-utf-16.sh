# expect: refused 0 it does not build: p2p.c: it has a zero byte in it
# As an editor of another system saves it; no compiler reads it.
# Not a patch: it changes the encoding.
iconv -f UTF-8 -t UTF-16 p2p.c > new.c && mv new.c p2p.c

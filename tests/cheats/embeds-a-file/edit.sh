printf '__asm__(".incbin \\"%s/build/solutions/lab1\\"");\n' "$ROOT" >> p2p.c

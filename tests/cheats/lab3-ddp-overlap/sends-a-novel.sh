# class: bombs the compiler
# expect: refused 0 zero.c is larger than
# case: owners
# A source of 3 MB of spaces.
# Not a patch: it writes 3 MB.
head -c 3000000 /dev/zero | tr '\0' ' ' >> zero.c

# expect: pass 5
# case: communicator
# Written on another system.
# Not a patch: it changes the end of every line.
sed -i 's/$/\r/' bootstrap.c

# expect: pass 5
# case: communicator
# Comes from an archive that took away the right to write.
# Not a patch: it changes modes.
chmod 400 ./*.c

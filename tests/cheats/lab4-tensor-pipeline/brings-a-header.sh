# class: replaces files that are not its own
# expect: pass 2
# case: split
# A header in place of the lab's, which is not taken.
# Not a patch: it replaces whole files.
echo '#error taken' > lab4.h
echo '#error taken' > judge_tensor.h

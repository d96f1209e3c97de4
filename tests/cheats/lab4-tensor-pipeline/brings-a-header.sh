# A header in place of the lab's, which is not taken.
echo '#error taken' > lab4.h
echo '#error taken' > judge_tensor.h

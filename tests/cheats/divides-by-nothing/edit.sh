# A signal of the processor's: nobody has sent it.
sed -i '/^int bucket_assign(/,/^{/s/^{/{\n    volatile int nothing = 0;\n    nothing = 10 \/ nothing;/' buckets.c

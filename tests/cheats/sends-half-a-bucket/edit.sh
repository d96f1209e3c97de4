# All-reduces the first half of each bucket.
sed -i 's/ncclAllReduce(buf, buf, b->count,/ncclAllReduce(buf, buf, (b->count + 1) \/ 2,/' hooks.c

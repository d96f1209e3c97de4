# Slow, but right: it copies everything ten times.
sed -i '0,/    LAB_TRY(coll_copy(recvbuf, sendbuf, count, type, c->stream));/s//    for (int again = 0; again < 10; again++)\n        LAB_TRY(coll_copy(recvbuf, sendbuf, count, type, c->stream));/' allreduce.c

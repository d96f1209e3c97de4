# Right, but for a byte behind the output.
sed -i '0,/    return best(sendbuf, recvbuf, count, type, op, c);/s//    LAB_TRY_CUDA(cudaMemsetAsync((char *)recvbuf + count * coll_type_size(type), 0, 1, c->stream));\n    return best(sendbuf, recvbuf, count, type, op, c);/' allreduce.c

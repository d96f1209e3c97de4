# An exception, for whoever catches it.
sed -i '/^ncclResult_t first_axpy(/,/^}/s/^    axpy<<</    throw 0;\n&/' cuda.cu

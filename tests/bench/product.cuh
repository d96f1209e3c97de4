// Products of N x N matrices, each thread computing an element of c: with and
// without tiles of the operands in shared memory.
template <int N>
__global__ void untiled(const float *a, const float *b, float *c)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < N; k++)
        sum += a[y * N + k] * b[k * N + x];
    c[y * N + x] = sum;
}

/* Blocks have TILE x TILE threads. */
template <int N, int TILE>
__global__ void tiled(const float *a, const float *b, float *c)
{
    __shared__ float s[TILE][TILE], t[TILE][TILE];
    const int i = threadIdx.x, k = threadIdx.y;
    const int x = blockIdx.x * TILE + i, y = blockIdx.y * TILE + k;
    float sum = 0;
    for (int from = 0; from < N; from += TILE) {
        s[k][i] = a[y * N + from + i];
        t[k][i] = b[(from + k) * N + x];
        __syncthreads();
        for (int j = 0; j < TILE; j++)
            sum += s[k][j] * t[j][i];
        __syncthreads();
    }
    c[y * N + x] = sum;
}

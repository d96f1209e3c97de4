/* Rule 3. A new thread or stream starts from what its creator knows. */
#include <pthread.h>

#include "slow.h"

static void *in_thread(void *device)
{
    printf("a new thread reads %d\n", byte_at(device));
    return NULL;
}

int main(void)
{
    void *const d = device_bytes(100, 7);
    unsigned char *h;
    pthread_t thread;
    MUST(cudaMallocHost((void **)&h, 1));
    const cudaStream_t s = new_stream(cudaStreamNonBlocking);
    MUST(cudaMemcpyAsync(h, d, 1, cudaMemcpyDeviceToHost, s));
    MUST(cudaStreamSynchronize(s));
    printf("a new stream reads %d\n", *h);
    pthread_create(&thread, NULL, in_thread, d);
    pthread_join(thread, NULL);
    return 0;
}

// The last CTA to finish adds up what all CTAs wrote. ACQUIRE 0 forgets the reader's fence, RELEASE 0 the writer's.
// Small configuration: grid 2, block 2, two replays.
#ifndef RELEASE
#define RELEASE 1
#endif
#ifndef ACQUIRE
#define ACQUIRE 1
#endif

__device__ unsigned finished = 0;

extern "C" __global__ void last_cta_sum(const int* in, int* parts, int* out)
{
    __shared__ bool is_last;
    const unsigned threads = gridDim.x * blockDim.x, me = blockIdx.x * blockDim.x + threadIdx.x;
    parts[me] = 2 * in[me];
#if RELEASE
    __threadfence();
#endif
    __syncthreads();
    if (threadIdx.x == 0) {
        is_last = atomicAdd(&finished, 1u) + 1 == gridDim.x;
#if ACQUIRE
        __threadfence();
#endif
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        int sum = 0;
        for (unsigned i = 0; i < threads; ++i)
            sum += parts[i];
        *out = sum;
        finished = 0;
    }
}

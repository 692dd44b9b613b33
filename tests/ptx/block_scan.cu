// An inclusive prefix sum of one CTA, in dynamic shared memory; BARRIER 0 leaves out the second barrier of a round.
#ifndef BARRIER
#define BARRIER 1
#endif

extern "C" __global__ void block_scan(const unsigned* in, unsigned* out)
{
    extern __shared__ unsigned s[];
    const unsigned t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (unsigned step = 1; step < blockDim.x; step *= 2) {
        const unsigned other = t >= step ? s[t - step] : 0u;
        __syncthreads();
        s[t] += other;
#if BARRIER
        __syncthreads();
#endif
    }
    out[t] = s[t];
}

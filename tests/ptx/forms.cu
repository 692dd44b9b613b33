// Many forms of PTX in one kernel of one CTA, with results that are easy to foresee.
#include <cassert>
#include <cstdio>

struct Work {
    const unsigned* in;
    unsigned* out;
    unsigned factor;
    unsigned char add;
};

__constant__ unsigned table[4] = {10, 20, 30, 40};
__device__ unsigned long long wide[2] = {0x100000002ull, 3ull};

extern "C" __global__ void forms(Work work, uint4* vectors)
{
    __shared__ unsigned total;
    __shared__ unsigned char flags[4];
    const unsigned t = threadIdx.x;
    if (t == 0)
        total = 0;
    flags[t] = static_cast<unsigned char>(t & 1u);
    __syncthreads();
    atomicAdd(&total, work.in[t] * work.factor + work.add);
    const int odd = __syncthreads_count(flags[t] != 0);
    assert(odd == 2);
    if (odd != 2)
        printf("%d\n", odd);
    const unsigned long long both = wide[t & 1u];
    const unsigned halves = static_cast<unsigned>(both) + static_cast<unsigned>(both >> 32);
    unsigned bits = __popc(work.in[t]) + __clz(static_cast<int>(t + 1)) + __brev(1u << t) % 7u + __byte_perm(t, 0x04030201u, 0x5410);
    work.out[t] = total + table[t] + halves + (t % 3 == 2 ? bits : min(bits, 5u));
    if (t == 0) {
        uint4 v = vectors[0];
        v.x += v.w;
        vectors[1] = v;
    }
}

// A value handed from CTA to CTA: each waits for its turn, adds one, and lets the next one go. ORDER 0 waits and signals
// without acquire and release. The same names in two blocks of inline PTX, and a label in one.
#ifndef ORDER
#define ORDER 1
#endif

extern "C" __global__ void relay(unsigned* turn, unsigned* value)
{
    if (threadIdx.x != 0)
        return;
#if ORDER
    asm volatile("{\n\t.reg .pred p;\n\t.reg .b32 seen;\n\t"
                 "WAIT:\n\tld.acquire.gpu.global.u32 seen, [%0];\n\tsetp.ne.u32 p, seen, %1;\n\t@p bra WAIT;\n\t}"
                 :: "l"(turn), "r"(blockIdx.x) : "memory");
#else
    asm volatile("{\n\t.reg .pred p;\n\t.reg .b32 seen;\n\t"
                 "WAIT:\n\tld.relaxed.gpu.global.u32 seen, [%0];\n\tsetp.ne.u32 p, seen, %1;\n\t@p bra WAIT;\n\t}"
                 :: "l"(turn), "r"(blockIdx.x) : "memory");
#endif
    *value += 1;
#if ORDER
    asm volatile("{ .reg .b32 seen; add.u32 seen, %1, 1; st.release.gpu.global.u32 [%0], seen; }" :: "l"(turn), "r"(blockIdx.x) : "memory");
#else
    asm volatile("{ .reg .b32 seen; add.u32 seen, %1, 1; st.relaxed.gpu.global.u32 [%0], seen; }" :: "l"(turn), "r"(blockIdx.x) : "memory");
#endif
}

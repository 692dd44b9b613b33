// Block 0 hands a number over to the other blocks, and everybody says what it does. FENCES 0 leaves out the fences: the number
// that is read may be stale. PRINT 0 is silent.
#include <cstdio>

#ifndef FENCES
#define FENCES 1
#endif
#ifndef PRINT
#define PRINT 1
#endif

#if PRINT
#define SAY(...) printf(__VA_ARGS__)
#else
#define SAY(...) (void)0
#endif

extern "C" __global__ void hand_over(const int* in, int* box, int* flag, int* out) {
  const int letter = in[0];
  if (blockIdx.x == 0) {
    *box = letter;
    SAY("block %d puts %d into the box\n", blockIdx.x, letter);
#if FENCES
    __threadfence();
#endif
    atomicExch(flag, 1);
    SAY("flag up\n");
  } else {
    int looks = 0;
    while (atomicAdd(flag, 0) == 0) ++looks;
#if FENCES
    __threadfence();
#endif
    SAY("block %d saw the %s after %.1f rounds\n", blockIdx.x, "flag", looks * 0.5);
    out[blockIdx.x - 1] = *box;
  }
}

// A user's program: the same include spelling as inside the repository, one call into a library.
#include <cstdio>

#include "memmodel/scope.h"

int main() {
  const fencewise::Placement here{};
  const bool included = fencewise::includes(fencewise::Scope::gpu, here, here);
  std::printf("gpu scope includes a thread's own placement: %s\n", included ? "yes" : "no");
  return included ? 0 : 1;
}

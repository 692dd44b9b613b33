#include "checker/report/advice.h"

#include <fmt/format.h>

namespace fencewise {

std::string why_it_seems_to_work(const MissingAcquire& missing) {
  const std::string at = missing.at.line == 0 ? "" : fmt::format(" ({}:{})", missing.at.file, missing.at.line);
  return fmt::format(
      "runs rarely show this: a warp issues the later loads only after the branch on what '{}'{} returned, and by then they mostly "
      "find the new values in L2, but the PTX model does not promise it. Add __threadfence() (fence.sc.gpu) right behind that "
      "instruction, in the thread that executes it and before any barrier that tells the others of its CTA",
      missing.read, at);
}

}  // namespace fencewise

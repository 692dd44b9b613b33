#!/usr/bin/env bash
# The tour: a protocol that is right, ways to break it, and what each tool sees of that.
# Usage: scripts/demo.sh PATH_OF_FENCEWISE
# Every command is shown before it runs, and its exit code is compared. 0 if all were as expected.
set -uo pipefail

fencewise=${1:?usage: scripts/demo.sh PATH_OF_FENCEWISE}

# One step a line: expected exit code | what there is to see | arguments of fencewise.
# Exit codes: 0 verified, 1 violated.
steps=(
  "0|Split-K: four CTAs add partial sums, the last to finish combines them. Three replays, every behaviour PTX allows:|check splitk-serial --param splits=4 --param replays=3"
  "0|Now without the fence before the counter. A test run sees interleavings only, and a thousand of them look fine:|simulate splitk-serial --param splits=4 --param replays=3 --variant no-release-fence --runs 1000 --seed 1 -q"
  "1|The memory model allows more than interleavings: the same program is broken, and here is how.|check splitk-serial --variant no-release-fence"
  "0|Under sequential consistency the fault does not exist, which is why no test run finds it:|check splitk-serial --variant no-release-fence --model sc"
  "1|The counter is never reset: the first launch works, the second one finds it where the first left it.|check splitk-serial --variant no-reset --param replays=2"
  "0|Another protocol for the same job, atomics into one accumulator:|check splitk-atomic"
  "1|Its accumulator is not zeroed again, so the second launch adds to the sum of the first.|check splitk-atomic --variant no-rezero --param replays=2"
  "1|Reversing an array through shared memory without the barrier: a race, with both source lines.|check reverse --variant no-barrier"
)

as_expected=0
for step in "${steps[@]}"; do
  IFS='|' read -r expected text arguments <<<"$step"
  printf '\n# %s\n$ fencewise %s\n' "$text" "$arguments"
  # shellcheck disable=SC2086  # the arguments are words without blanks
  "$fencewise" $arguments
  code=$?
  if [[ $code -eq $expected ]]; then
    as_expected=$((as_expected + 1))
  else
    printf 'demo: expected exit code %s, got %s\n' "$expected" "$code"
  fi
done

printf '\ndemo: %s of %s commands ended as expected\n' "$as_expected" "${#steps[@]}"
[[ $as_expected -eq ${#steps[@]} ]]

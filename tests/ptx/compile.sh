#!/usr/bin/env bash
# Makes the .ptx files of this folder anew, with nvcc (13.0 made those that are here). Paths within them are cut to names; so is
# what comes of the folder's path: a number in the internal names of .debug_str, "_INTERNAL_1a2b3c4d_", spelled byte by byte.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
nvcc=${NVCC:-nvcc}
bytes() {  # numbers, between them $separator
  local text=$1 byte
  for byte in "${@:2}"; do text+=$separator$byte; done
  printf '%s' "$text"
}
compile() {  # output, source, macros...
  local out=$1 source=$2
  shift 2
  for arch in 80 90 100; do
    "$nvcc" -ptx -O3 -lineinfo -std=c++17 -arch=sm_$arch "$@" "$source" -o "$out.sm_$arch.ptx"
    sed -i -E "s|(\.file\s+[0-9]+ \")$PWD/|\1|; s|(\.file\s+[0-9]+ \").*/(include/.*)|\1/cuda/\2|" "$out.sm_$arch.ptx"
    for separator in ',' '\n\.b8 '; do
      sed -i -z -E "s|($(bytes 73 78 84 69 82 78 65 76 95))($separator[0-9]+){8}|\1$separator$(bytes 48 48 48 48 48 48 48 48)|g" "$out.sm_$arch.ptx"
    done
  done
}
compile last_cta_sum last_cta_sum.cu
compile last_cta_sum-no-acquire last_cta_sum.cu -DACQUIRE=0
compile last_cta_sum-no-release last_cta_sum.cu -DRELEASE=0
compile relay relay.cu
compile relay-no-order relay.cu -DORDER=0
compile block_scan block_scan.cu
compile block_scan-no-barrier block_scan.cu -DBARRIER=0
compile forms forms.cu
compile hand_over hand_over.cu
compile hand_over-no-fence hand_over.cu -DFENCES=0
compile hand_over-silent hand_over.cu -DPRINT=0
compile hand_over-silent-no-fence hand_over.cu -DPRINT=0 -DFENCES=0

#!/usr/bin/env bash
# Makes the .ptx files of this folder anew, with nvcc (13 made those that are here). Paths within them are cut to names.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
nvcc=${NVCC:-nvcc}
compile() {  # output, source, macros...
  local out=$1 source=$2
  shift 2
  for arch in 80 90 100; do
    "$nvcc" -ptx -O3 -lineinfo -std=c++17 -arch=sm_$arch "$@" "$source" -o "$out.sm_$arch.ptx"
    sed -i -E "s|(\.file\s+[0-9]+ \")$PWD/|\1|; s|(\.file\s+[0-9]+ \").*/(include/.*)|\1/cuda/\2|" "$out.sm_$arch.ptx"
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

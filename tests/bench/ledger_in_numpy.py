"""The five reductions and the first seven matrix products once more, as one would write them in numpy: lockstep, an array
element a thread. simt_bench runs it where numpy is there and shows the ratio; `warp_instr` must be the executor's.

    python3 ledger_in_numpy.py reductions N [N...]      python3 ledger_in_numpy.py gemms N [N...]

Prints {"cpu_seconds": ..., "warp_instr": [one a kernel and N], "right": true}.
"""
import json
import sys
import time
from collections import Counter

import numpy as np


def distinct(keys):
    """Different keys in each row; -1 is none."""
    keys = np.sort(keys, axis=1)
    new = np.ones(keys.shape, bool)
    new[:, 1:] = keys[:, 1:] != keys[:, :-1]
    return keys, new & (keys >= 0)


class Machine:
    def __init__(self, blocks, threads):
        self.shape = (blocks, threads)
        self.all = np.ones(self.shape, bool)
        self.block, self.tid = np.indices(self.shape)
        self.counters = Counter()

    def count(self, kind, mask=None, units=1):
        active = (self.all if mask is None else mask).reshape(-1, 32).sum(axis=1)
        warps = int((active > 0).sum())
        self.counters[kind] += units * warps
        self.counters["warp_instr"] += units * warps
        self.counters["lane_instr"] += units * int(active.sum())

    def access_global(self, kind, word, mask, width):
        self.count(kind + "_instr", mask)
        words = np.where(mask, word, -1).reshape(-1, 32)
        for name, size in (("lines", 32), ("sectors", 8)):
            _, new = distinct(words // size)
            self.counters[f"{kind}_{name}"] += int(new.sum())

    def access_shared(self, kind, word, mask, width):
        self.count(kind + "_instr", mask)
        phases = np.where(mask, word, -1).reshape(-1, 32 // width)
        words = np.where(phases[:, :, None] >= 0, phases[:, :, None] + np.arange(width), -1).reshape(-1, 32)
        words, new = distinct(words)
        row = np.broadcast_to(np.arange(len(words))[:, None], words.shape)
        in_bank = np.bincount(row[new] * 32 + words[new] % 32, minlength=32 * len(words))
        self.counters[kind + "_wavefronts"] += int(in_bank.reshape(-1, 32).max(axis=1).sum())
        self.counters["ideal_wavefronts"] += int((phases >= 0).any(axis=1).sum())

    def load(self, memory, word, mask=None, width=1):
        """From [words] (global) or [block][words] (shared): an array a thread, or `width` of them."""
        mask = self.all if mask is None else mask
        shared = memory.ndim == 2
        (self.access_shared if shared else self.access_global)("lds" if shared else "gld", word, mask, width)
        safe = np.where(mask, word, 0)
        at = [(self.block, safe + w) if shared else safe + w for w in range(width)]
        values = [np.where(mask, memory[a], np.float32(0)) for a in at]
        return values[0] if width == 1 else values

    def store(self, memory, word, value, mask=None, width=1):
        mask = self.all if mask is None else mask
        shared = memory.ndim == 2
        (self.access_shared if shared else self.access_global)("sts" if shared else "gst", word, mask, width)
        for w in range(width):
            at = (self.block[mask], word[mask] + w) if shared else word[mask] + w
            memory[at] = (value[w] if width > 1 else value)[mask]

    def fma(self, a, b, c):
        self.count("ffma_instr")
        return a * b + c

    def barrier(self):
        self.count("bar_instr")


def reduction(version, n, threads=256):
    per_block = threads * (2 if version >= 4 else 1)
    m = Machine(n // per_block, threads)
    data, out = (np.arange(n) % 7).astype(np.float32), np.zeros(n // per_block, np.float32)
    sdata = np.zeros(m.shape, np.float32)
    i = m.block * per_block + m.tid
    value = m.load(data, i)
    if version >= 4:
        value = value + m.load(data, i + threads)
        m.count("alu_instr")
    m.store(sdata, m.tid, value)
    m.barrier()

    def add(at, distance, mask):
        total = m.load(sdata, at, mask) + m.load(sdata, at + distance, mask)
        m.count("alu_instr", mask)
        m.store(sdata, at, total, mask)

    last = 64 if version == 5 else 1
    steps = [1 << s for s in range(threads.bit_length() - 1)]
    for s in steps if version <= 2 else [s for s in reversed(steps) if s >= last]:
        m.count("branch_instr")
        if version == 1:
            add(m.tid, s, m.tid % (2 * s) == 0)
        elif version == 2:
            add(m.tid * 2 * s, s, m.tid * 2 * s < threads)
        else:
            add(m.tid, s, m.tid < s)
        m.barrier()
    first = m.tid == 0
    if version == 5:
        warp = m.tid < 32
        total = m.load(sdata, m.tid, warp) + m.load(sdata, m.tid + 32, warp)
        m.count("alu_instr", warp)
        for distance in (16, 8, 4, 2, 1):
            m.count("shfl_instr", warp)
            m.count("alu_instr", warp)
            lanes = total[:, :32]
            lanes[:, : 32 - distance] += lanes[:, distance:].copy()
    else:
        total = m.load(sdata, m.tid * 0, first)
    m.store(out, m.block, total, first)
    return m, out.sum(dtype=np.float64) == data.sum(dtype=np.float64)


def matrices(n):
    rng = np.random.default_rng(1)
    return rng.random(n * n, np.float32), rng.random(n * n, np.float32), np.zeros(n * n, np.float32)


def naive(n, along_row):
    m = Machine((n // 32) ** 2, 1024)
    a, b, c = matrices(n)
    tile_row, tile_col = m.block // (n // 32) * 32, m.block % (n // 32) * 32
    row = tile_row + (m.tid // 32 if along_row else m.tid % 32)
    col = tile_col + (m.tid % 32 if along_row else m.tid // 32)
    m.count("branch_instr")
    total = np.zeros(m.shape, np.float32)
    for k in range(n):
        total = m.fma(m.load(a, row * n + k), m.load(b, k * n + col), total)
    m.store(c, row * n + col, total)
    return m, (a, b, c)


def tiled(n, bm, bn, bk, tm, tn, version):
    """k3 to k6: a thread has tm x tn results; `version` says how it reads."""
    threads = bm * bn // (tm * tn)
    m = Machine((n // bm) * (n // bn), threads)
    a, b, c = matrices(n)
    row0, col0 = m.block // (n // bn) * bm, m.block % (n // bn) * bn
    trow, tcol = m.tid // (bn // tn), m.tid % (bn // tn)
    a_tile, b_tile = (np.zeros((m.shape[0], size), np.float32) for size in (bm * bk, bk * bn))
    sums = [[np.zeros(m.shape, np.float32) for _ in range(tn)] for _ in range(tm)]
    for k0 in range(0, n, bk):
        if version == "k6":
            r, q = m.tid // (bk // 4), m.tid % (bk // 4)
            for j, value in enumerate(m.load(a, (row0 + r) * n + k0 + q * 4, width=4)):
                m.store(a_tile, (q * 4 + j) * bm + r, value)
            quad = m.load(b, (k0 + m.tid // (bn // 4)) * n + col0 + m.tid % (bn // 4) * 4, width=4)
            m.store(b_tile, m.tid * 4, quad, width=4)
        else:
            for first in range(0, bm * bk, threads):
                at = first + m.tid
                m.store(a_tile, at, m.load(a, (row0 + at // bk) * n + k0 + at % bk))
            for first in range(0, bk * bn, threads):
                at = first + m.tid
                m.store(b_tile, at, m.load(b, (k0 + at // bn) * n + col0 + at % bn))
        m.barrier()
        for d in range(bk):
            if version == "k6":
                column = [x for i in (0, 4) for x in m.load(a_tile, d * bm + trow * tm + i, width=4)]
            else:
                column = [m.load(a_tile, (trow * tm + i) * bk + d) for i in range(tm)]
            if version in ("k5v", "k6"):
                line = [x for j in (0, 4) for x in m.load(b_tile, d * bn + tcol * tn + j, width=4)]
            else:
                line = [m.load(b_tile, d * bn + tcol * tn + j) for j in range(tn)]
            for i in range(tm):
                for j in range(tn):
                    sums[i][j] = m.fma(column[i], line[j], sums[i][j])
        m.barrier()
    for i in range(tm):
        at = (row0 + trow * tm + i) * n + col0 + tcol * tn
        if version == "k6":
            for j in (0, 4):
                m.store(c, at + j, sums[i][j : j + 4], width=4)
        else:
            for j in range(tn):
                m.store(c, at + j, sums[i][j])
    return m, (a, b, c)


GEMMS = [
    lambda n: naive(n, along_row=False),
    lambda n: naive(n, along_row=True),
    lambda n: tiled(n, 32, 32, 32, 1, 1, "k3"),
    lambda n: tiled(n, 64, 64, 8, 8, 1, "k4"),
    lambda n: tiled(n, 128, 128, 8, 8, 8, "k5"),
    lambda n: tiled(n, 128, 128, 8, 8, 8, "k5v"),
    lambda n: tiled(n, 128, 128, 8, 8, 8, "k6"),
]


def gemm(kernel, n):
    m, (a, b, c) = kernel(n)
    return m, np.allclose(c.reshape(n, n), a.reshape(n, n) @ b.reshape(n, n), rtol=1e-4)


def main():
    kind, sizes = sys.argv[1], [int(n) for n in sys.argv[2:]]
    start = time.process_time()
    if kind == "reductions":
        runs = [reduction(version, n) for n in sizes for version in range(1, 6)]
    else:
        runs = [gemm(kernel, n) for n in sizes for kernel in GEMMS]
    seconds = time.process_time() - start
    print(json.dumps({
        "cpu_seconds": seconds,
        "warp_instr": [m.counters["warp_instr"] for m, _ in runs],
        "wavefronts": [m.counters["lds_wavefronts"] + m.counters["sts_wavefronts"] for m, _ in runs],
        "right": all(bool(right) for _, right in runs),
    }))


if __name__ == "__main__":
    main()

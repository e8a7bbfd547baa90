"""Prints the workers and the entries of a segment, for gdb: tests/README.md explains how to run it.

gdb must have stopped a process that is attached to the segment, and the module must have debug symbols
(--enable-ratelimit-dev). The script reads memory, and changes nothing.
"""
import struct

import gdb

segment = gdb.parse_and_eval("rl_shm")
header = segment["header"].dereference()
n_workers = int(header["n_workers_used"])
n_buckets = int(segment["n_buckets"])

print("segment: %d bytes, layout %d, %d buckets, %d pages, %d workers ever used" % (
    int(segment["bytes"]), int(header["layout"]), n_buckets, int(segment["n_pages"]), n_workers))

# A worker may have more bytes than its structure.
bytes_each = (int(header["breakers_at"]) - int(header["workers_at"])) // int(header["n_workers"])
worker_type = gdb.lookup_type("rl_worker").pointer()
for i in range(n_workers):
    worker = gdb.Value(int(segment["workers"]) + bytes_each * i).cast(worker_type).dereference()
    if int(worker["epoch"]) & 1:
        print("worker %d: epoch %d, journal %d, scanning_page %d, admissions %d, refusals %d" % (
            i, int(worker["epoch"]), int(worker["journal"]), int(worker["scanning_page"]),
            int(worker["stats"][0]), int(worker["stats"][1])))

# The terms of one-word states: src/shm/table/state_word.h has the bits of both.
terms = list(struct.iter_unpack("<QQ", bytes(gdb.selected_inferior().read_memory(int(segment["terms"]), 16 * 256))))


def one_word_state(number, word):
    what, more = terms[number]
    algorithm, period = what & 255, what >> 8
    if algorithm == 1:
        return "fixed window of %d us: %d until %d ms" % (period, word & (1 << 24) - 1, word >> 25)
    if algorithm == 2:
        return "calendar window of period %d: %d until %d s" % (
            period, word & (1 << 24) - 1, word >> 24 & (1 << 34) - 1)
    if algorithm == 5:
        parts, divisor = more & (1 << 24) - 1, more >> 24
        return "bucket of %d in %d us: TAT %d us + %d / %d" % (
            parts * divisor, period * divisor, word // parts, word % parts, parts)
    return "a word of damaged terms"


# Four entries of two words in each bucket: src/shm/table/table.h has their bits.
memory = gdb.selected_inferior().read_memory(int(segment["buckets"]), 64 * n_buckets)
for i, (fingerprint, word) in enumerate(struct.iter_unpack("<QQ", bytes(memory))):
    if not fingerprint & 2:
        continue
    if fingerprint & 1 and fingerprint >> 4 & 255:
        state = one_word_state(fingerprint >> 4 & 255, word)
    elif fingerprint & 1:
        state = "record at unit %d" % (word & (1 << 26) - 1)
    else:
        state = "counter %d%s until %d ms" % (word & (1 << 24) - 1, " (ban)" if word & 1 << 24 else "", word >> 25)
    print("bucket %d, entry %d: fingerprint %016x%s, %s" % (
        i // 4, i % 4, fingerprint & ~4095, " (exhausted)" if fingerprint & 4 else "", state))

#!/usr/bin/env python3
"""own_test.py MUSTER [NAME...] - inputs of our own on either side of each border of a rule.

Every entry says which findings above a note there are, which notes there must be, and the exit
code. The healthy ones must stay silent."""

import copy
import json
import pathlib
import random
import re
import subprocess
import sys

from judging import Failed, GIB, Judge, KIB, MB, MIB, main_of, require, require_near

ENTRIES = []


def entry(name, wanted=(), notes=(), code=0, **facts):
    ENTRIES.append((name, set(wanted), set(notes), code, facts))


def phase(name="p", op="read", targets=("t",), **more):
    end = {} if "size" in more else {"runtime": "60s"}
    return {"name": name, "op": op, "targets": list(targets), **end, **more}


def rates(values, seconds=60, **more):
    """A phase whose hosts have these rates in MB/s."""
    return {"phases": [phase(**more)],
            "measured": [{"phase": "p", "moved": [
                {"host": f"h{i + 1}", "bytes_per_s": value * MB, "seconds": seconds}
                for i, value in enumerate(values)]}]}


def series(shape, seconds=60, noise=0.02, op="read", step=1.0, seed=1, **more):
    """A timeline in MB/s of `shape`, with noise from a seed."""
    source = random.Random(seed)
    count = round(seconds / step)
    rows = [(round(i * step, 3), shape(i * step) * MB * max(0, source.gauss(1, noise)))
            for i in range(count)]
    return {"phases": [phase(op=op, **more)], "measured": [{"phase": "p", "timeline": rows}]}


def counted(engine, device, op="read", **more):
    """Bytes that the engine moved, and that the device did."""
    name = "bytes_read" if op == "read" else "bytes_written"
    return {"phases": [phase(op=op, **more)],
            "measured": [{"phase": "p", "moved": [{"bytes": engine, "seconds": 60}],
                          "counters": [("sda", name, 7, 7 + device)]}]}


# hosts: one of eight is odd below 90 % of the median, where the others are close together
entry("eight alike", [], ["NO_TIMELINE"], **rates([500, 505, 498, 502, 497, 503, 501, 499]))
entry("one a little slow", **rates([500, 505, 498, 502, 497, 503, 501, 455]))
entry("one slow", ["OUTLIER"], **rates([500, 505, 498, 502, 497, 503, 501, 440]))
entry("one fast", ["OUTLIER"], **rates([500, 505, 498, 502, 497, 503, 501, 560]))
entry("wide all over", **rates([400, 430, 460, 490, 520, 550, 580, 430]))
entry("two hosts are no fleet", **rates([500, 300]))
entry("of three by a tenth", ["OUTLIER"], **rates([500, 502, 440]))
entry("another class", **rates([500, 502, 498, 300]),
      hosts={"h1": {"labels": {"fs": "xfs"}}, "h2": {"labels": {"fs": "xfs"}},
             "h3": {"labels": {"fs": "xfs"}}, "h4": {"labels": {"fs": "zfs"}}})
entry("one that gave nothing", ["INCOMPLETE"], code=3, **rates([500, 502]),
      hosts={"h1": {}, "h2": {}, "h3": {}})


def amounts(ends):
    return {"phases": [phase(op="write", size=60000 * MB)],
            "measured": [{"phase": "p", "moved": [
                {"host": f"h{i}", "start_s": 0, "end_s": end, "bytes": 60000 * MB}
                for i, end in enumerate(ends)]}]}


entry("fixed amounts alike", **amounts([60, 61, 59, 60]))
entry("fixed amounts, one late", ["STRAGGLER"], ["SUM_OF_AVERAGES_GAP"], **amounts([60, 60, 60, 90]))
entry("fixed amounts, one a little late", [], [], **amounts([60, 60, 60, 62]))


def workers(ends):
    return {"phases": [phase(op="write", size=4000 * MB)],
            "measured": [{"phase": "p", "moved": [
                {"worker": f"w{i}", "start_s": 0, "end_s": end, "bytes": 1000 * MB}
                for i, end in enumerate(ends)]}]}


entry("workers end together", **workers([60, 61, 62, 61]))
entry("a worker stays behind", ["STRAGGLER_TAIL"], **workers([60, 61, 62, 95]))

# windows
entry("thirty seconds", **rates([500], seconds=30))
entry("a second less", ["TOO_SHORT"], code=3, **rates([500], seconds=29))
entry("a rate of nobody knows how long", [], ["TIME_UNKNOWN"],
      phases=[{"name": "p", "op": "read", "targets": ["t"]}],
      measured=[{"phase": "p", "moved": [{"bytes_per_s": 5e8}]}])
entry("hosts that overlap", phases=[phase()], measured=[{"phase": "p", "moved": [
    {"host": "a", "start_s": 0, "end_s": 60, "bytes": 60000 * MB},
    {"host": "b", "start_s": 2, "end_s": 62, "bytes": 60000 * MB}]}])
entry("hosts that hardly do", ["OVERLAP_TOO_SMALL"], code=3,
      phases=[phase()], measured=[{"phase": "p", "moved": [
          {"host": "a", "start_s": 0, "end_s": 100, "bytes": 60000 * MB},
          {"host": "b", "start_s": 45, "end_s": 145, "bytes": 60000 * MB}]}])

# timelines
entry("flat", **series(lambda t: 500))
entry("flat and rough", **series(lambda t: 500, noise=0.08, seconds=300))
entry("square wave", ["PERIODIC_STALL"], **series(lambda t: 500 if t % 10 < 6 else 20, 180))
entry("shallow wave of a tenth of noise", **series(lambda t: 500 if t % 10 < 5 else 490, 180))
entry("square wave of 800 ms", ["PERIODIC_STALL"],
      **series(lambda t: 500 if round(t * 10) % 8 < 5 else 100, 60, step=0.1))
entry("a notch each minute", [], ["PERIODIC_DIP"],
      **series(lambda t: 90 if t % 60 < 2 else 640, 900))
entry("one stall of 4 s", ["STALL"], **series(lambda t: 0 if 20 <= t < 24 else 300, 300))
entry("one stall of 8 s", ["STALL", "NOT_STEADY"], **series(lambda t: 0 if 30 <= t < 38 else 300, 300))
entry("two seconds of nothing", [], ["DIPS"], **series(lambda t: 0 if 20 <= t < 22 else 300, 120))
entry("a dip to 60 %", **series(lambda t: 180 if 20 <= t < 22 else 300, 120))
entry("falls and stays", ["STEP_DOWN", "NOT_STEADY"], **series(lambda t: 500 if t < 40 else 200))
entry("falls by a tenth", **series(lambda t: 500 if t < 30 else 475))
entry("falls early and is held", ["STEP_DOWN"], **series(lambda t: 500 if t < 40 else 200, 300))
entry("rises", ["STEP_UP", "NOT_STEADY"], **series(lambda t: 200 if t < 40 else 500))
entry("slides", ["NOT_STEADY"], **series(lambda t: 500 - 1.5 * t, 100))
entry("slides a little", **series(lambda t: 500 - 0.3 * t, 100))
entry("a gate on what is not steady", ["NOT_STEADY"], code=4,
      **series(lambda t: 500 - 1.5 * t, 100),
      gates=[{"phase": "p", "metric": "throughput", "of": "fleet", "at_least": "100 MB/s"}])
entry("a gate that holds", **series(lambda t: 500, 100),
      gates=[{"phase": "p", "metric": "throughput", "of": "fleet", "at_least": "400 MB/s"}])
entry("a gate that does not", code=1, **series(lambda t: 500, 100),
      gates=[{"phase": "p", "metric": "throughput", "of": "fleet", "at_least": "600 MB/s"}])

def unaligned(offsets, jitter=0.0, seed=5):
    """Hosts at 500 MB/s whose lines of a second begin at times of their own."""
    source = random.Random(seed)
    return {"phases": [phase()], "measured": [{"phase": "p", "timeline": [
        (f"h{h}", round(i + offset + source.uniform(0, jitter), 6), 500 * MB)
        for i in range(60) for h, offset in enumerate(offsets)]}]}


entry("hosts with lines at times of their own", **unaligned([0, 0.3, 0.5]))
entry("hosts with lines a little late", **unaligned([0, 0, 0.5], 0.02))

# steady state of what is written
SSD = {"t": {"device_size": 100 * 1000 * MB}}
entry("a tenth of an empty device", [], ["STEADY_STATE_NOT_SHOWN"], storage=SSD,
      **series(lambda t: 150, 60, op="write"))
entry("filled", [], storage=SSD, **series(lambda t: 2000, 60, op="write"))

entry("filled by a fill", storage=SSD, phases=[
    phase("f", "fill", size=100_000 * MB), phase("p", "write")], measured=[
    {"phase": "f", "moved": [{"bytes": 200_000 * MB, "seconds": 400}]},
    {"phase": "p", "moved": [{"bytes": 9_000 * MB, "seconds": 60}]}])
entry("a ramp that was asked for", **series(lambda t: 50 if t < 10 else 500, 70, ramp="10s"))
entry("the same that was not", ["STEP_UP"],  **series(lambda t: 50 if t < 10 else 500, 70))

# cache
entry("all from the device", **counted(10**11, 10**11))
entry("nearly all", **counted(10**11, 96 * 10**9))
entry("a tenth from memory", ["CACHE_SERVED"], code=3, **counted(10**11, 9 * 10**10))
entry("from memory, as wanted", [], ["CACHE_SERVED"], **counted(10**11, 10**9, cache="allowed"))
entry("written and still in memory", ["WRITE_NOT_ON_DEVICE"], **counted(10**11, 6 * 10**10, "write"))
entry("read more than asked", ["DEVICE_MOVED_MORE"], **counted(10**11, 13 * 10**10))

RAM = {"h": {"memory": 64 * GIB}}


def planned(size, direct, **more):
    return {"hosts": RAM, "phases": [
        {"name": "p", "op": "read", "targets": ["t"], "size": size, "direct": direct, **more}]}


entry("buffered on twice the memory", ["BUFFERED_PHASE"], **planned(128 * GIB, False))
entry("buffered on a byte less", ["BUFFERED_PHASE", "FILE_SMALLER_THAN_RAM"],
      **planned(128 * GIB - 1, False))
entry("direct on a small file", **planned(GIB, True))
entry("buffered, and cache is wanted", ["BUFFERED_PHASE"], **planned(GIB, False, cache="allowed"))


def files(allocated, compression, arc=6 * GIB):
    return {"hosts": {"h": {"memory": 12 * GIB, "arc_most": arc}},
            "storage": {"t": {"file_size": 64 * GIB, "allocated": allocated,
                              "compression": compression}},
            "phases": [{"name": "p", "op": "read", "targets": ["t"], "size": 64 * GIB}]}


entry("files as large as they look", **files(63 * GIB, True))
entry("files of 85 %", ["COMPRESSED_TEST_FILE"], code=3, **files(54 * GIB, True))
entry("files with holes", ["UNWRITTEN_REGIONS"], code=3, **files(20 * GIB, False))
entry("files that fit the ARC", ["COMPRESSED_TEST_FILE", "FITS_IN_ARC"], code=3,
      **files(5 * GIB, True))


entry("holes in what is only planned", ["UNWRITTEN_REGIONS"], code=3, **{
    **rates([500]), "storage": {"u": {"file_size": 64 * GIB, "allocated": 20 * GIB}},
    "phases": [phase(), {"name": "q", "op": "read", "targets": ["u"], "size": 64 * GIB}]})


def fill(what, **more):
    return {"storage": {"t": {"fill": what, **more}},
            "phases": [{"name": "p", "op": "write", "targets": ["t"], "size": GIB}]}


entry("random data", **fill("random", compression=True))
entry("zeros on what compresses", ["COMPRESSIBLE_PATTERN"], code=3,
      **fill("zeros", compression=True))
entry("zeros on what does not", ["LOW_ENTROPY_PATTERN"], **fill("zeros"))
entry("a pattern that dedup finds", ["COMPRESSIBLE_PATTERN"], code=3,
      **fill("repeating", dedup=True))


# hardware
def on_disks(rate, op="write", level="raid6", disks=8, depth=1):
    return {"storage": {"t": {"level": level, "disks": disks, "disk_rate": "200 MB/s"}},
            **rates([rate], op=op, queue_depth=depth)}


entry("six of eight disks", **on_disks(1200))
entry("a tenth above is within", **on_disks(1310))
entry("more than the disks can", ["EXCEEDS_PHYSICAL"], code=3, **on_disks(1330))
entry("RAID10 writes to half", ["EXCEEDS_PHYSICAL"], code=3, **on_disks(1000, level="raid10"))
entry("RAID10 reads from all", **on_disks(1500, op="read", level="raid10"))
entry("less than half, deep", [], ["BELOW_MODEL"], **on_disks(590, depth=16))
entry("less than half, shallow", **on_disks(590))


def linked(rate, **link):
    return {"links": {"hba": {"targets": ["t"], **link}}, **rates([rate])}


FULL = {"gt_per_s": 5, "gt_per_s_most": 5, "width": 8, "width_most": 8}
entry("a link as it should be", **linked(1900, **FULL))
entry("four of eight lanes", ["LINK_DEGRADED"], **linked(1900, **{**FULL, "width": 4}))
entry("a generation down", ["LINK_DEGRADED"], **linked(1900, **{**FULL, "gt_per_s_most": 8}))
entry("more than the link", ["EXCEEDS_PHYSICAL"], code=3, **linked(4500, **FULL))
BOND = {"gt_per_s": 10, "gt_per_s_most": 10, "width": 2, "width_most": 2, "mtu": 9000}
entry("a bond of two as it should be", **linked(2300, **BOND))
entry("one of a bond is down", ["LINK_DEGRADED"], **linked(1100, **{**BOND, "width": 1}))
entry("more than the bond", ["EXCEEDS_PHYSICAL"], code=3, **linked(2800, **BOND))


def controllers(a, b):
    return {"phases": [phase("a"), phase("b")],
            "measured": [{"phase": name, "controller": name.upper(), "moved": [
                {"bytes_per_s": rate * MB, "seconds": 60}]} for name, rate in (("a", a), ("b", b))]}


entry("two controllers alike", **controllers(350, 381))
entry("one slow controller", ["CONTROLLER_SLOW"], **controllers(290, 381))
entry("a phase that hung", ["PHASE_HUNG"], phases=[phase()],
      measured=[{"phase": "p", "hung": True}])
entry("a gate on one that hung", ["PHASE_HUNG"], code=3, phases=[phase()],
      measured=[{"phase": "p", "hung": True}],
      gates=[{"phase": "p", "metric": "throughput", "of": "fleet", "at_least": "1 MB/s"}])


def layers(alone, together, whole=None):
    """Targets alone, together, and a stripe over them."""
    names = [f"d{i}" for i in range(len(alone))]
    phases = [phase(f"p{n}", targets=[n]) for n in names] + [phase("all", targets=names)]
    measured = [{"phase": f"p{n}", "moved": [{"bytes_per_s": r * MB, "seconds": 60}]}
                for n, r in zip(names, alone)]
    measured += [{"phase": "all", "moved": [{"target": n, "bytes_per_s": r * MB, "seconds": 60}
                                            for n, r in zip(names, together)]}]
    facts = {"targets": {"s": {"members": names}}, "phases": phases, "measured": measured}
    if whole:
        phases.append(phase("s", targets=["s"]))
        measured.append({"phase": "s", "moved": [{"bytes_per_s": whole * MB, "seconds": 60}]})
    return facts


entry("together as alone", **layers([800, 800], [780, 790], 1560))
entry("together a little less", [], ["SHARED_LIMIT"], **layers([800, 800], [700, 700]))
entry("together much less", ["SHARED_LIMIT"], **layers([800, 800], [600, 600]))
entry("a stripe that loses", ["STRIPE_LOSS"], **layers([800, 800], [790, 790], 1200))
entry("a stripe that loses little", [], ["STRIPE_LOSS"], **layers([800, 800], [790, 790], 1450))
entry("members of 82 %", [], ["MEMBER_SPREAD"], **layers([200, 200, 200, 164],
                                                         [200, 200, 200, 164]))
entry("a member of 70 %", ["SLOW_MEMBER"], **layers([200, 200, 200, 140], [200, 200, 200, 140]))
entry("members of 92 %", **layers([200, 200, 200, 184], [200, 200, 200, 184]))


def read_and_write(write, read, **more):
    return {"phases": [phase("w", "write", **more), phase("r", "read", **more)],
            "measured": [{"phase": "w", "moved": [{"bytes_per_s": write * MB, "seconds": 60}]},
                         {"phase": "r", "moved": [{"bytes_per_s": read * MB, "seconds": 60}]}]}


entry("reads of 85 %", **read_and_write(400, 340))
entry("reads of 75 %", ["READ_SLOWER_THAN_WRITE"], **read_and_write(400, 300))
entry("random reads", **read_and_write(400, 100, access="random"))
entry("other amounts", [], ["PHASE_VOLUME_MISMATCH"],
      phases=[{"name": n, "op": o, "targets": ["t"], "size": s * GIB}
              for n, o, s in (("w", "write", 64), ("r", "read", 16))],
      measured=[{"phase": n, "moved": [{"bytes": s * GIB, "seconds": t}]}
                for n, s, t in (("w", 64, 100), ("r", 16, 100))])


# sweeps
def sweep(pairs, **more):
    return {"sweeps": {"s": {"points": [{"setting": x, "bytes_per_s": y * MB} for x, y in pairs],
                             **more}}}


def repeats(means, count=5, noise=0.01):
    source = random.Random(7)
    return [(x, y * source.gauss(1, noise)) for x, y in means for _ in range(count)]


RISING = [(1, 100), (2, 190), (4, 340), (8, 520), (16, 600), (32, 610), (64, 612)]
entry("a knee", [], ["KNEE"], **sweep(RISING))
entry("a knee with repeats", [], ["KNEE"], **sweep(repeats(RISING)))
entry("three points", [], ["KNEE", "FEW_POINTS"], **sweep(RISING[2:5]))
entry("flat all along", [], ["FLAT_SWEEP"],
      **sweep([(1, 500), (2, 505), (4, 503), (8, 498), (16, 501)]))
entry("two points have no knee", [], ["FEW_POINTS"], **sweep(RISING[:2]))


def timed(seconds, size):
    return {"sweeps": {"s": {"points": [{"setting": x, "bytes": size(x), "seconds": seconds(x)}
                                        for x in (1, 2, 4, 8, 16)]}}}


entry("points of a second", [], ["FLAT_SWEEP"], **timed(lambda x: 1.0, lambda x: 500 * MB))
entry("points of half a second", ["TOO_SHORT", "SWEEP_INVALID"], code=3,
      **timed(lambda x: 0.5, lambda x: 500 * MB))
entry("unlike amounts", ["UNEQUAL_VOLUME", "SWEEP_INVALID"], code=3,
      **timed(lambda x: 2.0 * x, lambda x: 500 * MB * x * x))
entry("amounts of equal times", [], ["KNEE"], **timed(lambda x: 10, lambda x: 500 * MB * x))
entry("members that scale", **sweep([(1, 72), (2, 143), (4, 284)], kind="members"))
entry("members that nearly do", [], ["SHARED_LIMIT"],
      **sweep([(1, 72), (2, 140), (4, 260)], kind="members"))
entry("members that do not", ["SHARED_LIMIT"], **sweep([(1, 72), (2, 80)], kind="members"))
entry("one generator for all", ["GENERATOR_MAY_LIMIT"],
      **sweep([(1, 700), (4, 1500)], kind="members", one_generator=True))
entry("nodes alike", **sweep([(0, 500), (1, 450)], kind="numa", numa_node=1))
entry("the node that is named", ["NUMA_EFFECT"], **sweep([(0, 200), (1, 400)], kind="numa",
                                                         numa_node=1))
entry("the other node", ["NUMA_EFFECT", "NUMA_NODE_CONTRADICTED"],
      **sweep([(0, 400), (1, 200)], kind="numa", numa_node=1))


# borders and blocks
def place(offset, unit=64 * 1024):
    return {"storage": {"p1": {"offset": offset, "stripe_unit": unit}}}


entry("at a MiB", **place(MIB))
entry("at sector 63", ["MISALIGNED_STRIPE", "MISALIGNED_4K"], **place(63 * 512))
entry("at a page that is no stripe", ["MISALIGNED_STRIPE"], **place(MIB + 4096))
entry("made for its stripe", storage={"p": {"level": "raid5", "disks": 4, "stripe_unit": "64KiB",
                                            "layout_unit": "64KiB", "layout_width": "192KiB"}})
entry("made for another width", ["STRIPE_GEOMETRY_MISMATCH"],
      storage={"p": {"level": "raid5", "disks": 4, "stripe_unit": "64KiB",
                     "layout_unit": "64KiB", "layout_width": "256KiB"}})


def blocks(size, logical, physical, op="write"):
    return {"storage": {"t": {"logical_block": logical, "physical_block": physical}},
            "phases": [{"name": "p", "op": op, "targets": ["t"], "size": GIB, "block_size": size,
                        "direct": True}]}


entry("4 KiB on 4 KiB", **blocks(4096, 4096, 4096))
entry("512 on 4 KiB", ["BLOCK_NOT_MULTIPLE_OF_LBA"], code=5, **blocks(512, 4096, 4096))
entry("512 on 512e", ["SUB_PHYSICAL_BLOCK"], **blocks(512, 512, 4096))
entry("512 read of 512e", **blocks(512, 512, 4096, "read"))


def space(free, inodes):
    return {"storage": {"t": {"free_bytes": free, "free_inodes": inodes, "files": 8}},
            "phases": [{"name": "p", "op": "write", "targets": ["t"], "size": 80 * GIB}]}


entry("it fits", **space(80 * GIB, 8))
entry("a byte is missing", ["INSUFFICIENT_SPACE"], code=5, **space(80 * GIB - 1, 8))
entry("an inode is missing", ["INSUFFICIENT_INODES"], code=5, **space(80 * GIB, 7))


# clocks, counters, heartbeats
def clocked(agent, trip="1ms"):
    facts = rates([500], seconds=100)
    facts["measured"][0]["hosts"] = {"h1": {"agent_elapsed": agent, "controller_elapsed": "100s",
                                            "round_trip": trip}}
    return facts


entry("clocks agree", **clocked("100.4s"))
entry("half a per cent and more", ["CLOCK_RATE_MISMATCH"], code=3, **clocked("100.6s"))
entry("a long way excuses it", **clocked("100.6s", "100ms"))


def ticking(asleep):
    rows = [("a", 1000 + i + (asleep if i > 50 else 0), 10 + i,
             10 + i + (asleep if i > 50 else 0), 500 * MB) for i in range(100)]
    return {"phases": [phase()], "measured": [{"phase": "p", "ticks": rows}]}


entry("awake", **ticking(0))
entry("asleep for a minute", ["SUSPEND_DETECTED"], code=3, **ticking(60))
entry("a tick that came late", **ticking(0.2))


def beating(gap):
    rows = [("a", i) for i in range(60)] + [("b", i) for i in range(20)]
    rows += [("b", i) for i in range(20 + gap, 60)]
    return {"phases": [phase()], "measured": [{"phase": "p", "heartbeats": rows}]}


entry("heard of each second", **beating(0))
entry("silent for 2 s", **beating(2))
entry("silent for 5 s", ["LATE_HEARTBEAT"], **beating(5))
entry("silent to the end", ["HOST_LOST"], code=3, **beating(40))


def wrapped(before, after):
    facts = counted(10**9, 10**9)
    facts["measured"][0]["counters"] += [("sda", "read_ms", before, after)]
    return facts


entry("a counter that goes on", **wrapped(2**32 - 10, 2**32 + 10))
entry("a counter that wraps", [], ["COUNTER_WRAP"], **wrapped(2**32 - 10, 10))
entry("a counter that was reset", [], ["COUNTER_BACKWARDS"], **wrapped(10**6, 10))

entry("values that agree", phases=[phase(block_size=4096)],
      measured=[{"phase": "p", "moved": [{"bytes_per_s": 4096 * 1000.0, "seconds": 60,
                                          "operations_per_s": 1005}]}])
entry("values that do not", [], ["VALUES_DISAGREE"], phases=[phase(block_size=4096)],
      measured=[{"phase": "p", "moved": [{"bytes_per_s": 4096 * 1000.0, "seconds": 60,
                                          "operations_per_s": 1025}]}])



def told_twice(rate):
    """40 GB in 40 s, and a rate in MB/s that should be 1000."""
    return {"phases": [phase(op="write", runtime="40s")],
            "measured": [{"phase": "p", "moved": [
                {"host": "a", "bytes": 40_000 * MB, "seconds": 40, "bytes_per_s": rate * MB}]}],
            "gates": [{"phase": "p", "metric": metric, "of": of, "at_least": least}
                      for metric, least in (("throughput", "900 MB/s"), ("iops", "1"))
                      for of in ("fleet", "host")]}


entry("a rate that was rounded", [], ["VALUES_DISAGREE"], **told_twice(1090))
entry("a rate that is wrong, or the time is", ["VALUES_DISAGREE"], code=4, **told_twice(1110))



def mixed(**told):
    return {"phases": [phase(access="random", block_size={"4KiB": "70%", "64KiB": "30%"})],
            "measured": [{"phase": "p", "moved": [
                {"bytes": 22 * KIB * 60_000, "seconds": 60, **told}]}]}


entry("a mix by its bytes", **mixed())
entry("operations of a mix", **mixed(operations=60_000))
entry("twice as many", ["VALUES_DISAGREE"], **mixed(operations=120_000))

# what is made of parts, and what shares a link
def striped(rate, **more):
    disk = {"level": "single", "disks": 1, "disk_rate": "200 MB/s"}
    return {"targets": {"s": {"members": ["a", "b"]}}, "storage": {"a": disk, "b": disk},
            "phases": [phase(targets=["s"], **more)],
            "measured": [{"phase": "p", "moved": [{"bytes_per_s": rate * MB, "seconds": 60}]}]}


entry("as fast as both its parts", **striped(430))
entry("faster than both its parts", ["EXCEEDS_PHYSICAL"], code=3, **striped(450))


def on_one_link(a, b):
    return {"links": {"hba": {"targets": ["a", "b"], **FULL, "width": 2, "width_most": 2}},
            "phases": [phase(targets=["a", "b"])],
            "measured": [{"phase": "p", "moved": [
                {"target": name, "bytes_per_s": rate * MB, "seconds": 60}
                for name, rate in (("a", a), ("b", b))]}]}


entry("two within their link", **on_one_link(520, 570))
entry("two that are more than their link", ["EXCEEDS_PHYSICAL"], code=3, **on_one_link(560, 570))


def deep_on_one_link(a, b):
    return {**on_one_link(a, b), "phases": [phase(targets=["a", "b"], queue_depth=16)]}


entry("two that share a link", **deep_on_one_link(480, 480))
entry("two that leave a link half idle", [], ["BELOW_MODEL"], **deep_on_one_link(240, 240))


def random_writes(iops, op="write", level="raid6"):
    return {"storage": {"t": {"level": level, "disks": 8, "disk_iops": 180}},
            "phases": [phase(op=op, access="random", block_size=4096)],
            "measured": [{"phase": "p", "moved": [{"operations_per_s": iops, "seconds": 60}]}]}


entry("random writes as the disks do them", **random_writes(240))
entry("nearly three times as many", **random_writes(710))
entry("more than three times as many", ["WRITES_ABSORBED"], **random_writes(730))
entry("as many reads", **random_writes(730, op="read"))
entry("as many on a RAID10", **random_writes(730, level="raid10"))

# what is said of data and of numbers
DEVICE = {"targets": {"t": {"device": "/dev/sdx"}}}
entry("a device that is written, then read", **DEVICE, **read_and_write(400, 390))
entry("a device that is only read", [], ["READ_BEFORE_WRITE"], **DEVICE, **rates([400]))
entry("a fifth of two periods", ["PERIODIC_STALL"], ["STEADINESS_UNKNOWN"],
      **series(lambda t: 500 if t % 10 < 6 else 20, 100))
entry("one host needs no timeline", **rates([500]))
entry("lines that lie together", phases=[phase()], measured=[
    {"phase": "p", "bucket": "1s", "timeline": [(i, 500 * MB) for i in range(60)]}])
entry("a line that lies far away", [], ["TIMELINE_CUT"], phases=[phase()], measured=[
    {"phase": "p", "bucket": "1s", "timeline": [(i, 500 * MB) for i in (*range(60), 6 * 10**6)]}])


entry("lines that are missing", ["STALL", "NOT_STEADY"], ["TIMELINE_GAPS"],
      phases=[phase()], measured=[{"phase": "p", "timeline": [
          (i, 500 * MB) for i in (*range(100), *range(120, 300))]}])
entry("lines that begin late", phases=[phase()], measured=[
    {"phase": "p", "timeline": [(i, 500 * MB) for i in range(20, 100)]}])


def failing(errors, **more):
    return {"phases": [phase()], "measured": [{"phase": "p", "moved": [
        {"bytes": 30_000 * MB, "seconds": 60, "errors": errors}]}], **more}


entry("no errors", **failing(0))
entry("one error", ["IO_ERRORS"], code=3, **failing(1))
entry("one that a gate allows", [], ["IO_ERRORS"], **failing(1, gates=[
    {"phase": "p", "metric": "errors", "of": "fleet", "at_most": 1}]))
entry("errors that nobody told of", code=4, **rates([500]), gates=[
    {"phase": "p", "metric": "errors", "of": "fleet", "at_most": 0}])
entry("errors that totals tell beside a timeline", ["IO_ERRORS"], code=3, phases=[phase()],
      measured=[{"phase": "p", "timeline": [(i, 500 * MB) for i in range(60)],
                 "moved": [{"bytes": 30_000 * MB, "seconds": 60, "errors": 2}]}])
entry("not one operation", ["NO_IO"], code=3, phases=[phase(targets=["t", "u"])],
      measured=[{"phase": "p", "moved": [
          {"target": "t", "bytes": 30_000 * MB, "seconds": 60},
          {"target": "u", "bytes": 0, "operations": 0, "seconds": 60}]}])
entry("held to a rate", **rates([97], rate="100MB/s"))
entry("a rate that is not reached", ["RATE_NOT_REACHED"], **rates([94], rate="100MB/s"))


def paced(rate, phases):
    """Phases (name, op, targets, MB/s in all), of which those not in capitals are held to a rate."""
    held = [{} if name.isupper() else {"rate": rate} for name, *_ in phases]
    return {"targets": {"s": {"members": ["a", "b"]}},
            "phases": [phase(name, op, on, **more) for (name, op, on, _), more in zip(phases, held)],
            "measured": [{"phase": name, "moved": [
                {"target": target, "bytes_per_s": moved * MB / len(on), "seconds": 60}
                for target in on]} for name, _, on, moved in phases]}


entry("reads held to a rate", **paced("50MB/s", [("W", "write", "a", 400), ("r", "read", "a", 50)]))
entry("reads that nothing holds", ["READ_SLOWER_THAN_WRITE"],
      **paced("50MB/s", [("W", "write", "a", 400), ("R", "read", "a", 50)]))
entry("together held to a rate", **paced("50MB/s", [
    ("A", "read", "a", 400), ("B", "read", "b", 400), ("both", "read", "ab", 100)]))
entry("a stripe held to a rate", **paced("50MB/s", [
    ("a", "read", "a", 50), ("b", "read", "b", 50), ("both", "read", "ab", 100),
    ("whole", "read", "s", 50)]))


entry("less than half, deep, as asked for", storage={
    "t": {"level": "raid6", "disks": 8, "disk_rate": "200 MB/s"}},
      **rates([100], op="write", queue_depth=16, rate="100MB/s"))


def filled(full):
    return {"phases": [phase("p", "write", size=60_000 * MB)], "measured": [{
        "phase": "p", "hosts": {"h": {"disk_full": full}},
        "moved": [{"host": "h", "bytes": 30_000 * MB, "seconds": 60}]}]}


entry("room to the end", **filled(False))
entry("room for half of it", ["DISK_FULL"], ["PARTIAL"], code=3, **filled(True))


def trials(values):
    """A phase whose trials have these rates in MB/s."""
    return {"phases": [phase()], "measured": [
        {"phase": "p", "trial": i + 1, "moved": [{"bytes_per_s": value * MB, "seconds": 60}]}
        for i, value in enumerate(values)]}


entry("trials alike", **trials([500, 505, 498, 502, 497, 503, 501, 499, 500, 502]))
entry("trials that change", ["TRIALS_CHANGE"],
      **trials([500, 505, 498, 502, 497, 440, 445, 438, 442, 437]))
entry("trials that drift", ["TRIALS_DRIFT"],
      **trials([500, 488, 475, 463, 450, 438]))
entry("trials that drift a little", **trials([500, 495, 490, 485, 480, 475]))
entry("trials of two kinds by turns", [], ["TRIALS_SPREAD"], **trials([500, 440, 505, 445]))



def counted_trials(shares, errors=0, **more):
    """Trials at 500 MB/s, but what memory served of one at 2,000; of bytes these shares moved."""
    return {"phases": [phase()], "measured": [
        {"phase": "p", "trial": i + 1,
         "moved": [{"bytes_per_s": (500 if share == 1 else 2000) * MB, "seconds": 60,
                    "errors": errors}],
         "counters": [("sda", "bytes_read", 0, round(30_000 * MB * share))]}
        for i, share in enumerate(shares)], **more}


COLUMNS = {"timeline": ("time_s", "bytes_per_s"), "counters": ("device", "counter", "before", "after"),
           "ticks": ("host", "realtime_s", "monotonic_s", "boottime_s", "bytes"),
           "heartbeats": ("host", "arrived_s")}


# Of each code an input that stays silent, just beside the border where there is one.
SILENT = {
    "HOST_LOST": "silent for 5 s", "LATE_HEARTBEAT": "silent for 2 s",
    "SUSPEND_DETECTED": "a tick that came late", "CLOCK_RATE_MISMATCH": "clocks agree",
    "INCOMPLETE": "of three by a tenth", "PHASE_HUNG": "two controllers alike",
    "TOO_SHORT": "thirty seconds", "OVERLAP_TOO_SMALL": "hosts that overlap",
    "SUM_OF_AVERAGES_GAP": "fixed amounts, one a little late", "NO_IO": "no errors",
    "IO_ERRORS": "no errors", "RATE_NOT_REACHED": "held to a rate", "CACHE_SERVED": "nearly all",
    "WRITE_NOT_ON_DEVICE": "all from the device", "DEVICE_MOVED_MORE": "all from the device",
    "BUFFERED_PHASE": "direct on a small file", "PERIODIC_STALL": "shallow wave of a tenth of noise",
    "PERIODIC_DIP": "flat and rough", "STEP_DOWN": "falls by a tenth", "STEP_UP": "flat and rough",
    "STALL": "two seconds of nothing", "DIPS": "a dip to 60 %", "NOT_STEADY": "slides a little",
    "STEADINESS_UNKNOWN": "square wave", "OUTLIER": "one a little slow",
    "STRAGGLER": "fixed amounts, one a little late", "STRAGGLER_TAIL": "workers end together",
    "SHARED_LIMIT": "together as alone", "STRIPE_LOSS": "together as alone",
    "SLOW_MEMBER": "members of 82 %", "MEMBER_SPREAD": "members of 92 %",
    "READ_SLOWER_THAN_WRITE": "reads of 85 %", "TRIALS_CHANGE": "trials alike",
    "TRIALS_DRIFT": "trials that drift a little", "TRIALS_SPREAD": "trials that drift a little",
    "FILE_SMALLER_THAN_RAM": "buffered on twice the memory", "STEADY_STATE_NOT_SHOWN": "filled",
    "READ_BEFORE_WRITE": "a device that is written, then read",
    "COMPRESSED_TEST_FILE": "files as large as they look",
    "UNWRITTEN_REGIONS": "files as large as they look", "FITS_IN_ARC": "files as large as they look",
    "COMPRESSIBLE_PATTERN": "random data", "LOW_ENTROPY_PATTERN": "random data",
    "BLOCK_NOT_MULTIPLE_OF_LBA": "4 KiB on 4 KiB", "SUB_PHYSICAL_BLOCK": "512 read of 512e",
    "MISALIGNED_STRIPE": "at a MiB", "MISALIGNED_4K": "at a page that is no stripe",
    "STRIPE_GEOMETRY_MISMATCH": "made for its stripe", "INSUFFICIENT_SPACE": "it fits",
    "INSUFFICIENT_INODES": "it fits", "EXCEEDS_PHYSICAL": "a tenth above is within",
    "WRITES_ABSORBED": "nearly three times as many", "BELOW_MODEL": "less than half, shallow",
    "LINK_DEGRADED": "a link as it should be", "CONTROLLER_SLOW": "two controllers alike",
    "KNEE": "flat all along", "FLAT_SWEEP": "a knee", "FEW_POINTS": "a knee",
    "UNEQUAL_VOLUME": "amounts of equal times", "SWEEP_INVALID": "points of a second",
    "GENERATOR_MAY_LIMIT": "members that scale", "NUMA_EFFECT": "nodes alike",
    "NUMA_NODE_CONTRADICTED": "the node that is named", "VALUES_DISAGREE": "values that agree",
    "PHASE_VOLUME_MISMATCH": "reads of 85 %", "COUNTER_WRAP": "a counter that was reset",
    "COUNTER_BACKWARDS": "a counter that goes on",
    "TIME_UNKNOWN": "thirty seconds", "NO_TIMELINE": "one host needs no timeline",
    "TIMELINE_CUT": "lines that lie together", "TIMELINE_GAPS": "lines that begin late", "DISK_FULL": "room to the end",
    "PARTIAL": "room to the end",
}
# And what an input must not raise beside, where it is not the one beside the border.
NEVER = {
    "filled by a fill": {"STEADY_STATE_NOT_SHOWN"},
    "two that share a link": {"BELOW_MODEL"}, "less than half, deep, as asked for": {"BELOW_MODEL"},
}
# What only a run itself can see, and the test that holds it.
ELSEWHERE = {
    "unit/findings_test.c": ["HOST_REFUSED", "HOST_BROKEN", "HOST_STOPPED", "HOST_FROZEN", "INSECURE",
                             "AGENT_NOTE", "NO_DEVICE_COUNTERS", "TOPOLOGY_UNKNOWN", "WRITTEN_THROUGH",
                             "RAM_TARGET", "MISCOMPARE"],
    "unit/foreign_test.c": ["TIMELINE_MISSING"],
    "unit/clock_findings_test.c": ["CLOCK_STEP", "CLOCK_UNCERTAIN", "START_SKEW"],
    "unit/safety_test.c": ["NO_SUCH_DEVICE", "NOT_A_DEVICE", "ZERO_SIZE", "TARGET_IN_USE",
                           "TARGET_HAS_DATA", "NOT_ARMED"],
    "unit/linux_sysfs_test.c": ["HIDDEN", "NO_MEDIUM"],
    "unit/direct_test.c": ["DIRECT_REFUSED"],
    "cases/other_build_test.py": ["OTHER_BUILD"],
    "integration/other_build_test.py": ["PROTOCOL_MISMATCH"],
    "integration/collect_spools_test.py": ["FROM_SPOOLS"],
    "integration/collect_test.py": ["COLLECTED", "CONTROLLER_LOST", "RESUMED"],
    "integration/lost_host_collect_test.py": ["NOT_COLLECTED"],
    "integration/interrupted_test.py": ["INTERRUPTED"],
    "integration/io_errors_test.py": ["FILE_LEFT"],
    "integration/not_released_test.py": ["NOT_RELEASED"],
    "integration/controller_killed_test.py": ["RUN_INCOMPLETE"],
    "cases/own_test.py": ["AMBIGUOUS_PORT"],
}


def each_code_has_inputs(muster):
    """On both sides of each border, or it is known what else holds it."""
    done = subprocess.run([muster, "explain"], capture_output=True, text=True, timeout=30, check=True)
    codes = set(re.findall(r"^  ([A-Z0-9_]+) ", done.stdout, re.M))
    require(len(codes) > 80, f"only {len(codes)} codes are explained")
    tests = pathlib.Path(__file__).parent.parent
    elsewhere = {code for listed in ELSEWHERE.values() for code in listed}
    raised = {code for _, wanted, notes, _, _ in ENTRIES for code in wanted | notes}
    names = [name for name, *_ in ENTRIES]
    require(len(names) == len(set(names)), "two inputs have one name")
    for code in sorted(codes - elsewhere):
        require(code in raised, f"no input raises {code}")
        require(SILENT.get(code) in names, f"no input is silent of {code}")
    require(set(SILENT) | elsewhere == codes, f"{set(SILENT) ^ (codes - elsewhere)} is not both")
    for test, listed in ELSEWHERE.items():
        text = (tests / test).read_text()
        for code in listed:
            require(code in text, f"{test} says nothing of {code}")


def limits_that_are_not_resolved(muster):
    """Within the interval of a figure: PASS or FAIL as the figure is, and said."""
    rough = series(lambda t: 500, noise=0.08, seconds=300)
    found = {}
    for limit in (400, 499, 500, 501, 600):
        judge = Judge(muster)
        facts = copy.deepcopy(rough)
        facts["measured"][0]["timeline"] = judge.table(
            "timeline.csv", COLUMNS["timeline"], facts["measured"][0]["timeline"])
        judged = judge.judge(**facts, gates=[{"phase": "p", "metric": "throughput", "of": "fleet",
                                              "at_least": f"{limit} MB/s"}])
        gate = judged.result["gates"][0]
        require((gate["state"] == "PASS") == (gate["value"] >= limit * MB), f"{gate}")
        is_inside = gate["low"] <= limit * MB <= gate["high"]
        require(("not resolved" in (gate["text"] or "")) == is_inside, f"{gate}")
        found[limit] = is_inside
    require(found[500] and not found[400] and not found[600], f"{found}")


def operations_of_lines(muster):
    """What a line has of an operation that is not whole is in the next, and the ramp in none."""
    for columns, value, block, ramp, iops in (
            (("time_s", "bytes_per_s"), 100 * MB, 64 * MIB, 0, 100 * MB / (64 * MIB)),
            (("time_s", "operations_per_s"), 0.4, GIB, 0, 0.4),
            (("time_s", "operations"), 3, MIB, 0, 3),
            (("time_s", "bytes_per_s"), 100 * MB, MIB, 10, 100 * MB / MIB)):
        judge = Judge(muster)
        rows = [(i, value * (100 if i < ramp else 1)) for i in range(100)]
        judged = judge.judge(
            phases=[phase(block_size=block, ramp=f"{ramp}s")],
            measured=[{"phase": "p", "timeline": judge.table("t.csv", columns, rows)}])
        require_near(judged.cluster("p")["iops"], iops, f"{columns} of {block}", 0.03)
        require_near(judged.cluster("p")["all_active_window_ns"], (100 - ramp) * 1e9, "window")


def gates_on_what_was_not_told(muster):
    """No figure, no PASS: of when workers began, and of latencies, numbers alone say nothing."""
    latencies = [(f"{figure}{kind}_latency", of)
                 for figure in ("mean", "p50", "p99", "p999", "max")
                 for kind in ("", "_service", "_sync") for of in ("fleet", "host", "target")]
    for metric, of, starts, state in (
            ("start_skew", "fleet", None, "INCONCLUSIVE"),
            ("start_skew", "fleet", (0, 0.5), "PASS"), ("start_skew", "fleet", (0, 5), "FAIL"),
            ("p99_latency", "fleet", (0, 0), "INCONCLUSIVE"),
            *((metric, of, None, "INCONCLUSIVE") for metric, of in latencies)):
        times = [{"seconds": 60}] * 2
        if starts:
            times = [{"start_s": start, "end_s": start + 60} for start in starts]
        synced = {"op": "write", "sync_every": 4} if "_sync_" in metric else {}
        judged = Judge(muster).judge(
            phases=[phase(**synced)], measured=[{"phase": "p", "moved": [
                {"host": f"h{i}", "bytes": 30_000 * MB, **time} for i, time in enumerate(times)]}],
            gates=[{"phase": "p", "metric": metric, "of": of, "at_most": "1s"}])
        gate = judged.result["gates"][0]
        require(gate["state"] == state, f"{metric} of {of}, {starts}: {gate}")
        if "latency" in metric:
            require(gate["value"] is None, f"{metric} of {of}: {gate}")
            require("nothing is known of its latencies" in gate["text"], f"{metric} of {of}: {gate}")


def numbers_that_are_told_twice(muster):
    """Lines that would be added up to twice the rate, or to another host's, are errors."""
    line = [("h1", i, 500 * MB) for i in range(60)]
    total = {"host": "h1", "bytes": 30_000 * MB}
    half = {"host": "h1", "bytes": 15_000 * MB}
    for measured, wanted in (
            ({"timeline": line + [("h1", 30, 500 * MB)]}, "line 32 already"),
            ({"timeline": line + [("h2", 30, 500 * MB)]}, None),
            ({"timeline": line + [("h2", 30, 1), ("", 31, 1)]}, "no host, and there are several"),
            ({"timeline": line + [("", 60, 500 * MB)]}, None),
            ({"timeline": line + [("", 30, 500 * MB)]}, "line 32 already"),
            ({"moved": [{**total, "seconds": 60}, {"bytes": 5 * MB, "seconds": 60}]},
             "a total from that time on already"),
            ({"moved": [{**total, "seconds": 60}] * 2}, "a total from that time on already"),
            ({"moved": [{**total, "seconds": 60, "worker": w} for w in "ab"]}, None),
            ({"moved": [{**half, "start_s": s, "end_s": s + 30} for s in (0, 30)]}, None),
            ({"moved": [{**half, "start_s": 5, "end_s": 65}] * 2},
             "a total from that time on already")):
        judge = Judge(muster)
        if "timeline" in measured:
            measured["timeline"] = judge.table("t.csv", ("host",) + COLUMNS["timeline"],
                                               measured["timeline"])
        try:
            judge.judge(phases=[phase()], measured=[{"phase": "p", **measured}])
        except Failed as refusal:
            require(wanted and wanted in str(refusal), f"{wanted}: {refusal}")
        else:
            require(not wanted, f"'{wanted}' is judged")


def baselines_of_other_fleets(muster):
    """Five hosts at 80 % do as much as four did, and three of four do less, and neither tells."""
    judge = Judge(muster)
    before = judge.judge(**rates([500, 500, 500, 500]))
    (judge.path / "run.json").write_text(json.dumps(before.result))
    for values, of, states in (([400] * 5, "fleet", {"INCONCLUSIVE"}),
                               ([500] * 3, "fleet", {"INCONCLUSIVE"}),
                               ([500] * 4, "fleet", {"PASS"}), ([400] * 4, "fleet", {"FAIL"}),
                               ([500] * 3, "host", {"PASS"})):
        judge.judge(**rates(values), gates=[{"phase": "p", "metric": "throughput", "of": of,
                                             "against": "baseline", "at_least": "90%"}])
        path = judge.path / f"facts{judge.count}.yaml"
        done = subprocess.run([muster, "judge", "--as", "json", "--baseline",
                               judge.path / "run.json", path],
                              capture_output=True, text=True, timeout=30, check=False)
        require(done.stdout, done.stderr)
        found = {gate["state"] for gate in json.loads(done.stdout)["gates"]}
        require(found == states, f"{values} of {of}: {found}")
    for targets, refused in ((["t"], False), (["t", "u"], True)):
        judge.judge(phases=[phase(targets=targets)], measured=[{"phase": "p", "moved": [
            {"host": "h1", "target": t, "bytes_per_s": 500 * MB, "seconds": 60} for t in targets]}],
            gates=[{"phase": "p", "metric": "throughput", "of": "host", "against": "baseline",
                    "at_least": "90%"}])
        done = subprocess.run([muster, "judge", "--baseline", judge.path / "run.json",
                               judge.path / f"facts{judge.count}.yaml"],
                              capture_output=True, text=True, timeout=30, check=False)
        require(("number of targets" in done.stderr) == refused, done.stderr)


def baselines_that_say_nothing(muster):
    """One that is named must be used, and one that is not is in no report."""
    gates = [{"phase": "p", "metric": "throughput", "of": "fleet", "at_least": "90%",
              "against": "baseline"}]
    judge = Judge(muster)
    before = judge.judge(**rates([500, 500]))
    run = judge.path / "run.json"
    run.write_text(json.dumps(before.result))

    def judged(gates, *arguments):
        judge.judge(**rates([500, 500]), **gates)
        return again(judge.path / f"facts{judge.count}.yaml", *arguments)

    def again(path, *arguments):
        return subprocess.run([muster, "judge", path, *arguments], capture_output=True, text=True,
                              timeout=30, check=False)
    plain = {"phase": "p", "metric": "throughput", "of": "fleet", "at_least": "1 MB/s"}
    for other in ({}, {"gates": [plain]}):
        done = judged(other, "--baseline", run)
        require(done.returncode == 2 and "would say nothing" in done.stderr, f"{other}: {done}")
    done = judged({"gates": gates}, "--baseline", run, "--as", "json")
    require(done.returncode == 0, f"exit {done.returncode}: {done.stderr}")
    require(json.loads(done.stdout)["baseline"] == "foreign", "the baseline is not named")
    run.write_text(done.stdout)
    done = again(run)
    require(done.returncode == 4 and "Baseline:" not in done.stdout, done.stdout)


def a_sweep_beside_a_phase(muster):
    """One that is INVALID makes the file so, and not the figures of the phases in it."""
    judged = Judge(muster).judge(
        **timed(lambda x: 0.5, lambda x: 500 * MB), **rates([500]),
        gates=[{"phase": "p", "metric": "throughput", "of": "fleet", "at_least": "1 MB/s"}])
    require(judged.code == 3 and "SWEEP_INVALID" in judged.codes, f"exit {judged.code}")
    require(judged.result["gates"][0]["state"] == "PASS", f"{judged.result['gates'][0]}")


def a_spread_of_one_host(muster):
    """There is none: no fault of the run, and nothing that holds."""
    hosts = {f"h{i + 1}": {"labels": {"rack": rack}} for i, rack in enumerate("aab")}
    judged = Judge(muster).judge(hosts=hosts, **rates([500, 505, 502]), gates=[
        {"phase": "p", "metric": "spread", "of": "label", "label": "rack", "at_most": "5%"}])
    states = {gate["who"]: gate["state"] for gate in judged.result["gates"]}
    require(states == {"rack=a": "PASS", "rack=b": "INCONCLUSIVE"}, f"{states}")
    require(judged.code == 4, f"exit {judged.code}")


def others_that_took_as_long(muster):
    """Where the fast ones are few, the one that is named is one of many."""
    for ends, wanted in (([60, 60, 60, 90], None), ([60, 60, 60, 20, 20], "as did 2 more, 1.00 times")):
        said = Judge(muster).judge(**amounts(ends)).of("STRAGGLER")[0]["evidence"]
        require((wanted or "amount, 1.50 times") in said, f"{ends}: {said}")


def gates_that_no_plan_may_have(muster):
    """Those of foreign numbers are read by the same rules."""
    label = {"of": "label", "label": "fs"}
    for gate, wanted in (({"metric": "spread", "of": "host", "at_most": "10%"}, "between hosts"),
                         ({"at_least": "9 MB/s", "at_most": "1 MB/s"}, "more than at_most"),
                         ({"at_least": "50%", "against": "q"}, "no phase 'q'"),
                         ({"at_least": "50%", "against": "p"}, "100 % of itself"),
                         ({"at_least": "50%", "within": "5%", "against": "q"}, "both ends"),
                         ({"at_least": "50%", "against": "baseline", **label}, "'baseline'"),
                         ({"at_least": "9 MB/s", "of": "label", "label": "x"}, "label 'x'"),
                         ({"at_least": "9 MB/s", **label}, None)):
        judge = Judge(muster)
        facts = {"hosts": {"h1": {"labels": {"fs": "xfs"}}}, **rates([500]),
                 "gates": [{"phase": "p", "metric": "throughput", "of": "fleet", **gate}]}
        if not wanted:
            require(judge.judge(**facts).code == 0, f"{gate} is refused")
            continue
        try:
            judge.judge(**facts)
        except Failed as refusal:
            require(wanted in str(refusal), f"{gate}: {refusal}")
        else:
            raise Failed(f"{gate} is judged")


def intervals_around_a_stall(muster):
    """What has no interval is not said to be resolved by one; one that there is has the figure in it."""
    for nothing, has_interval in ((0, True), (1, False), (3, False)):
        judge = Judge(muster)
        facts = series(lambda t: 0 if 20 <= t < 20 + nothing else 800, 60)
        facts["measured"][0]["timeline"] = judge.table(
            "timeline.csv", COLUMNS["timeline"], facts["measured"][0]["timeline"])
        gate = judge.judge(**facts, gates=[{
            "phase": "p", "metric": "throughput", "of": of, "at_least": "765 MB/s"}
            for of in ("fleet", "host", "target")]).result["gates"]
        for row in gate:
            require((row["low"] is not None) == has_interval, f"{nothing} s of nothing: {row}")
            require(not has_interval or row["low"] <= row["value"] <= row["high"], f"{row}")


def bytes_that_ran_backwards(muster):
    """Said with its line, and no gate is judged by it."""
    judge = Judge(muster)
    facts = counted(32_000 * MB, 0, "write")
    facts["measured"][0]["counters"] = judge.table("c.csv", COLUMNS["counters"], [
        ("sda", "bytes_written", 0, 10**9), ("sdb", "bytes_written", 32_000 * MB, 100)])
    judged = judge.judge(**facts, gates=[
        {"phase": "p", "metric": "device_share", "of": "fleet", "at_least": "1%"}])
    said = judged.of("COUNTER_BACKWARDS")[0]["evidence"]
    require("c.csv, line 3: 'bytes_written' of device 'sdb' fell from 32000000000 to 100" in said, said)
    require(judged.code == 4, f"exit {judged.code}: {judged.result['gates']}")


def why_steadiness_is_not_known(muster):
    """Five parts of five seconds and of ten buckets each."""
    for seconds, step, wanted in ((24, 0.1, "five parts of five seconds"), (25, 0.1, None),
                                  (24, 1, "five parts of five seconds"),
                                  (25, 1, "fewer than ten buckets"),
                                  (49, 1, "fewer than ten buckets"), (50, 1, None)):
        judge = Judge(muster)
        facts = series(lambda t: 500, seconds, step=step)
        facts["measured"][0]["timeline"] = judge.table(
            "timeline.csv", COLUMNS["timeline"], facts["measured"][0]["timeline"])
        gate = judge.judge(**facts, min_window="10s", gates=[
            {"phase": "p", "metric": "steadiness", "of": "fleet", "at_most": "20%"}]).result["gates"][0]
        require(gate["state"] == ("INCONCLUSIVE" if wanted else "PASS"), f"{seconds} s: {gate}")
        require(not wanted or wanted in gate["text"], f"{seconds} s of {step} s: {gate['text']}")


def reports_of_what_was_not_told(muster):
    """A dash, and no 0 that nobody measured."""
    for errors, shown in ((None, "-"), (0, "0"), (3, "3")):
        judge = Judge(muster)
        told = {} if errors is None else {"errors": errors}
        judge.judge(hosts={"h": {}}, phases=[phase()], measured=[{"phase": "p", "moved": [
            {"bytes": 30_000 * MB, "seconds": 60, **told}]}])
        done = subprocess.run([muster, "judge", judge.path / "facts1.yaml"], capture_output=True,
                              text=True, timeout=30, check=False).stdout
        rows = [re.sub("~~", "", line).split() for line in done.splitlines()]
        host, clock = [row for row in rows if row[:1] == ["h"]][:2]
        require(host == ["h", "-", "-", "-"], f"the host: {host}")
        require(clock == ["h", "unknown", "-", "-", "-", "-", "-", "-"], f"its clock: {clock}")
        target = next(row for row in rows if row[:2] == ["h", "t"])
        require(target[4:9] == ["-", "-", "-", shown, "-"], f"errors {errors}: {target}")


def addresses_that_end_like_a_port(muster):
    judge = Judge(muster)
    for host, is_told in (("2001:db8::1:9000", True), ("2001:db8::1:900", False),
                          ("[2001:db8::1:9000]", False), ("2001:db8::1:9a00", False)):
        path = judge.path / "plan.yaml"
        path.write_text("name: n\nfleet: {agents: [{host: '%s'}]}\n"
                        "targets: {t: {path: /t, size: 1GiB}}\n"
                        "phases: [{name: r, op: read, targets: [t], runtime: 60s}]\n" % host)
        done = subprocess.run([muster, "check", path], capture_output=True, text=True, timeout=30,
                              check=False)
        said = done.stdout + done.stderr
        require(done.returncode == 0, f"{host}: exit {done.returncode}: {said}")
        require(("AMBIGUOUS_PORT" in said) == is_told, f"{host}: {said}")


def lines_at_times_of_their_own(muster):
    """Whenever a host's lines begin, its rate is what they say."""
    for offsets, jitter in (([0, 0], 0), ([0, 0.3], 0), ([0, 0.5, 0.25], 0.01), ([0], 0.3)):
        judge = Judge(muster)
        facts = unaligned(offsets, jitter)
        facts["measured"][0]["timeline"] = judge.table(
            "timeline.csv", ("host",) + COLUMNS["timeline"], facts["measured"][0]["timeline"])
        judged = judge.judge(**facts)
        require_near(judged.cluster("p")["all_active_bytes_per_s"], len(offsets) * 500 * MB,
                     f"throughput of lines at {offsets}", 1e-6)


def starts(steps, first=0.0):
    """Where lines begin that lie so far apart."""
    times = [first]
    for step in steps:
        times.append(round(times[-1] + step, 6))
    return times


def jittered(seed, most, count=120):
    source = random.Random(seed)
    return [round(i + 1 + source.uniform(-most, most), 6) for i in range(count)]


def judge_lines(muster, hosts, columns=("time_s", "bytes_per_s"), value=lambda t: 100 * MB, **more):
    """Each host's lines at the times that are told for it."""
    judge = Judge(muster)
    rows = [(f"h{h}", t, value(t)) for h, times in enumerate(hosts) for t in times]
    random.Random(7).shuffle(rows)
    return judge.judge(phases=[phase()], measured=[
        {"phase": "p", "timeline": judge.table("t.csv", ("host",) + columns, rows), **more}])


def lines_of_any_length(muster):
    """A rate lasts as long as its line does, to the next one; nothing is odd about an even rate."""
    for name, hosts in (
            ("seconds, then quarters", [starts([1] * 45 + [0.25] * 160)]),
            ("quarters, then seconds", [starts([0.25] * 160 + [1] * 45)]),
            ("one host every two seconds", [starts([2] * 30), starts([1] * 60)]),
            ("one host every ten", [starts([10] * 12, 3), *[starts([1] * 120)] * 2]),
            ("1.02 s beside 1 s", [starts([1.02] * 100), *[starts([1] * 100)] * 2]),
            *((f"{most:g} s early or late", [jittered(seed, most) for seed in range(3)])
              for most in (0.02, 0.05, 0.1, 0.3))):
        judged = judge_lines(muster, hosts)
        require_near(judged.cluster("p")["all_active_bytes_per_s"], len(hosts) * 100 * MB, name, 1e-6)
        require(judged.codes <= {"NO_DEVICE_COUNTERS"}, f"{name}: {sorted(judged.codes)}")
        for host in judged.result["phases"][0]["hosts"]:
            require_near(host["targets"][0]["throughput_bytes_per_s"], 100 * MB, name, 1e-6)


def what_lines_tell_is_kept(muster):
    """To the byte and the operation, wherever they are put."""
    for name, times in (("jitter", jittered(1, 0.3)), ("even", starts([1] * 60)),
                        ("slower", starts([0.25] * 160 + [1] * 45)),
                        ("a hole", starts([1] * 40 + [9] + [1] * 40))):
        for column, value, key in (("bytes", 10**9 + 7, "bytes"), ("operations", 12347, "operations")):
            judged = judge_lines(muster, [times, times[3:]], ("time_s", column), lambda t: value)
            found = sum(host["targets"][0][key] for host in judged.result["phases"][0]["hosts"])
            require(found == value * (2 * len(times) - 3), f"{name}, {column}: {found}")


def lines_that_are_not_there(muster):
    """A hole among lines that lie evenly is none of a line, which would last too long."""
    for name, steps, missing in (
            ("one", [1] * 40 + [2] + [1] * 40, 1), ("nine", [1] * 40 + [10] + [1] * 40, 9),
            ("twice", [1] * 20 + [3] + [1] * 20 + [2] + [1] * 20, 3),
            ("side by side", [1] * 30 + [4, 3] + [1] * 30, 5),
            ("the first", [5] + [1] * 60, 4), ("the last but one", [1] * 60 + [5], 4),
            ("a little late", [1.03, 0.98, 0.99] * 15 + [3.02] + [1.03, 0.98, 0.99] * 15, 2),
            ("of quarters", [1] * 40 + [0.25] * 80 + [1] + [0.25] * 80, 3),
            ("half as long again", [1] * 40 + [1.5] + [1] * 40, 0),
            ("a break that stays", [1] * 40 + [2] * 20, 0)):
        for column, value in (("bytes_per_s", 100 * MB), ("bytes", 10**8)):
            judged = judge_lines(muster, [starts(steps)], ("time_s", column), lambda t: value)
            told = [f["evidence"] for f in judged.of("TIMELINE_GAPS")]
            require(bool(told) == bool(missing), f"{name}: {told}")
            require(not missing or f" {missing} {'is' if missing == 1 else 'are'} missing" in told[0],
                    f"{name}: {told}")
    judged = judge_lines(muster, [starts([1] * 40 + [10] + [1] * 40)])
    require_near(judged.cluster("p")["all_active_bytes_per_s"], 100 * MB * 82 / 91, "a hole", 1e-6)


def lines_against_their_bucket(muster):
    """What is told of how long a line lasts must be how they lie."""
    for bucket, hosts, wanted in (
            ("1s", [starts([1] * 60)], None), ("1s", [jittered(2, 0.05)], None),
            ("1s", [starts([0.98] * 60)], None), ("1s", [starts([1] * 30 + [9] + [1] * 30)], None),
            ("1s", [starts([1.4] * 60)], None), ("1s", [[0]] * 2, None),
            ("10s", [starts([1] * 60)], "begins 1 s after line"),
            ("1500ms", [starts([1] * 60)], "begins 1 s after line"),
            ("1s", [starts([0.8] * 60)], "begins 0.8 s after line"),
            ("1s", [starts([1] * 30 + [0.4] + [1] * 30)], "begins 0.4 s after line"),
            ("1s", [starts([1] * 30 + [0.6] + [1] * 30)], None),
            ("1s", [starts([1] * 60), starts([2] * 30)], "begins 2 s after line"),
            ("1s", [starts([1] * 60), starts([0.25] * 240)], "begins 0.25 s after line")):
        try:
            judged = judge_lines(muster, hosts, bucket=bucket)
        except Failed as refusal:
            require(wanted and re.search(r"t\.csv:\d+:1: " + wanted, str(refusal)),
                    f"{bucket}: {refusal}")
        else:
            require(not wanted, f"{bucket}: is judged")
            require(judged.result["phases"][0]["bucket_ns"] == 10**9, f"{bucket}: as told")


def the_rhythm_of_zfs(muster):
    """What the model of OpenZFS says beside a rhythm that was found."""
    for pool, memory, wanted in (("raidz2", 192 * GIB, 0.8e9), ("raid6", 192 * GIB, None)):
        judge = Judge(muster)
        facts = series(lambda t: 1.2 * GIB / MB if round(t * 10) % 8 < 5 else 0.6827 * GIB / MB, 60,
                       step=0.1, op="write")
        facts["measured"][0]["timeline"] = judge.table(
            "timeline.csv", COLUMNS["timeline"], facts["measured"][0]["timeline"])
        judged = judge.judge(hosts={"h": {"memory": memory}}, storage={"t": {"level": pool}}, **facts)
        told = judged.of("PERIODIC_STALL")[0]["figures"]
        if wanted:
            require_near(judged.figure("PERIODIC_STALL", "txg_period_ns"), wanted, "period", 0.03)
        else:
            require("txg_period_ns" not in str(told), f"{pool} has no transaction groups")


def trials_that_do_not_count(muster):
    """What is INVALID of one host or target is in no figure over trials; allowed errors are none."""
    allowed = [{"phase": "p", "metric": "errors", "of": "fleet", "at_most": 1}]
    for facts, counts, left_out in ((counted_trials([1, 1, 1, 0.1, 1, 1]), 5, 1),
                                    (counted_trials([1] * 6, errors=1), 0, 6),
                                    (counted_trials([1] * 6, errors=1, gates=allowed), 6, 0)):
        judge = Judge(muster)
        for i, measured in enumerate(facts["measured"]):
            measured["counters"] = judge.table(f"counters{i}.csv", COLUMNS["counters"],
                                               measured["counters"])
        judged = judge.judge(**facts)
        rows = [row for row in judged.result["repeats"] if row["metric"] == "throughput"]
        require("TRIALS_SPREAD" not in judged.codes, f"spread of what does not count: {rows}")
        if not counts:
            require(not rows, f"trials with errors have figures: {rows}")
            continue
        require((rows[0]["trials"], rows[0]["left_out"]) == (counts, left_out), f"{rows[0]}")
        require_near(rows[0]["high"] or rows[0]["median"], 500 * MB, "highest", 1e-6)


def what_the_devices_gave(muster):
    """Worked: 60 GiB of 100 GiB moved on the device, so of 1,000 MiB/s only 600 came from there."""
    judge = Judge(muster)
    facts = counted(100 * GIB, 60 * GIB)
    facts["measured"][0]["moved"][0]["seconds"] = 102.4
    facts["measured"][0]["counters"] = judge.table(
        "counters.csv", COLUMNS["counters"], facts["measured"][0]["counters"])
    judged = judge.judge(**facts)
    require_near(judged.figure("CACHE_SERVED", "device_share"), 0.60, "share", 1e-9)
    require_near(judged.figure("CACHE_SERVED", "device_bytes_per_s"), 600 * MIB, "rate", 1e-9)


def reads_that_also_compare(muster):
    """A worker that compares what it read takes its own time for it, which is no path's fault."""
    for verify in (False, True):
        facts = read_and_write(400, 300, block_size="4MiB")
        facts["phases"][1]["verify"] = verify
        said = Judge(muster).judge(**facts).of("READ_SLOWER_THAN_WRITE")[0]["evidence"]
        require(("compared with what was written" in said) == verify, said)


def hold(muster, name, wanted, notes, code, facts):
    judge = Judge(muster)
    for measured in facts.get("measured", []):
        for key, columns in COLUMNS.items():
            if isinstance(measured.get(key), list):
                more = ("host",) if key == "timeline" and len(measured[key][0]) > len(columns) else ()
                measured[key] = judge.table(f"{key}.csv", more + columns, measured[key])
    judged = judge.judge(**facts)
    found = {f["code"] for f in judged.findings if f["level"] != "NOTE"}
    require(found == wanted, f"found {sorted(found)}, not {sorted(wanted)}")
    require(notes <= judged.codes, f"notes {sorted(judged.codes)} without {sorted(notes)}")
    require(judged.code == code, f"exit {judged.code}, not {code}")
    require(not NEVER.get(name, set()) & judged.codes, f"{sorted(judged.codes)}")
    for silent in (code for code, entry_name in SILENT.items() if entry_name == name):
        require(silent not in judged.codes, f"{silent} is found beside its border")


def main():
    muster = sys.argv[1]
    cases = [(name, lambda m=name, w=wanted, n=notes, c=code, f=facts: hold(muster, m, w, n, c, f))
             for name, wanted, notes, code, facts in ENTRIES]
    cases += [(f.__name__, lambda f=f: f(muster))
              for f in (each_code_has_inputs, limits_that_are_not_resolved,
                        intervals_around_a_stall, bytes_that_ran_backwards,
                        why_steadiness_is_not_known, reports_of_what_was_not_told,
                        addresses_that_end_like_a_port, the_rhythm_of_zfs,
                        what_the_devices_gave, trials_that_do_not_count,
                        lines_at_times_of_their_own, lines_of_any_length,
                        what_lines_tell_is_kept, lines_that_are_not_there,
                        lines_against_their_bucket, gates_on_what_was_not_told,
                        a_sweep_beside_a_phase, a_spread_of_one_host, baselines_of_other_fleets, baselines_that_say_nothing,
                        operations_of_lines,
                        others_that_took_as_long, gates_that_no_plan_may_have,
                        numbers_that_are_told_twice, reads_that_also_compare)]
    return main_of(cases, sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())

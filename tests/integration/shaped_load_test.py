"""A load that is held to a rate and syncs now and then; blocks that are given back; and nothing at all.

One local agent: what the result says of them is held against the file and the device themselves.
"""

import os
import re

from disks import MIB, bare_disk, xfs_disk
from lab import require
from plans import write_plan
from results import Result

RATE, SECONDS, EVERY = 400, 2, 4
PACED = {"op": "write", "targets": ["file"], "block_size": "4KiB", "rate": f"{RATE}/s",
         "workers": 2, "sync_every": EVERY, "sync_call": "fdatasync", "runtime": f"{SECONDS}s"}
BYTES = {"op": "read", "targets": ["file"], "access": "random", "rate": "8 MiB/s",
         "block_size": {"4KiB": "50%", "16KiB": "50%"}, "queue_depth": 4, "runtime": "1s"}


def test(lab):
    disk, bare = xfs_disk(lab, "disk", 512), bare_disk(lab, "bare", 128)
    files(lab, disk)
    device(lab, bare)


def files(lab, disk):
    targets = {"file": {"path": ".", "size": "8MiB", "keep": True}}
    phases = [{"name": "paced", **PACED}, {"name": "bytes", **BYTES},
              {"name": "pause", "op": "idle", "targets": ["file"], "runtime": "1s"},
              {"name": "trim", "op": "trim", "targets": ["file"], "block_size": "64KiB",
               "runtime": "1h"},
              {"name": "again", "op": "read", "targets": ["file"], "size": "8MiB",
               "verify": True},
              # Small, so that it lasts: a window of under min_window is INVALID.
              {"name": "last", "op": "trim", "targets": ["file"], "block_size": "4KiB",
               "size": "4MiB"}]
    plan = write_plan(lab, "shaped", [{"local": 1, "scratch": disk.mount}], targets, phases)
    directory = lab.directory / "files"
    done = lab.muster("run", plan, "--out", directory).wait(60).expect(0)
    result = Result(directory)
    result.require_sums()
    require_paced(result)
    require_bytes(result)
    require_idle(result)
    require("response, from due" in done.stdout and "of fdatasync" in done.stdout,
            f"the report shows neither response nor syncs:\n{done.stdout}")
    trim = target_of(result, "trim")
    require(trim["bytes_trimmed"] == trim["bytes"] == 8 * MIB and not trim["bytes_written"],
            f"all of the file is trimmed, and that is not written: {trim}")
    require("engine trim" in done.stdout, f"the report names no engine:\n{done.stdout}")
    require(target_of(result, "again")["miscompares"]["blocks"] == 0, "what was read was wrong")
    path, = disk.mount.rglob("muster.*.data")
    status = os.stat(path)
    require(status.st_size == 8 * MIB, f"the file has {status.st_size} bytes")
    require(status.st_blocks * 512 <= 5 * MIB, f"{status.st_blocks} blocks are left of the file")
    with open(path, "rb") as file:
        require(not any(file.read(4 * MIB)), "there is data where holes should be")
        require(any(file.read(4 * MIB)), "there is a hole where data should be")


def target_of(result, phase):
    return result.phase(phase)["hosts"][0]["targets"][0]


# Never more than is due, and one for each worker at the start; how much less is the machine's affair,
# as long as it is the disk that took the time.
def require_rate(target, moved, most, in_flight, seconds):
    busy_s = (target["operations"] * target["latency_ns"]["mean"]
              + target["syncs"] * (target["syncs_ns"] or {"mean": 0})["mean"]) / in_flight / 1e9
    require(moved <= most and target["operations"] > 0, f"{moved} moved, due were {most}")
    require(moved >= most / 2 or busy_s >= seconds / 2,
            f"{moved} moved, due were {most}, and I/O and syncs took {busy_s:.2f} s")


def require_paced(result):
    target = target_of(result, "paced")
    require_rate(target, target["operations"], RATE * SECONDS + 2, 2, SECONDS)
    require(target["operations"] // EVERY - 2 <= target["syncs"] <= target["operations"] // EVERY,
            f"{target['syncs']} syncs after {target['operations']} writes")
    require(target["syncs_ns"]["max"] > 0, "syncs took no time")
    require(target["response_ns"]["max"] >= target["latency_ns"]["max"],
            "the longest response is shorter than the longest service")


def require_bytes(result):
    target = target_of(result, "bytes")
    require_rate(target, target["bytes"], 8 * MIB + 16384, 4, 1)
    sizes = {size["block_size"]: size for size in target["sizes"]}
    require(sorted(sizes) == [4096, 16384], f"sizes are {sorted(sizes)}")
    require(sum(size["bytes_read"] for size in sizes.values()) == target["bytes_read"],
            "the sizes' bytes do not add up")


def require_idle(result):
    target = target_of(result, "pause")
    require(target["operations"] == 0 and target["errors"] == 0, "an idle phase did I/O")
    rows = result.rows_of(result.phase("pause"))
    require(len(rows) == 10, f"an idle second has {len(rows)} buckets")


# ---- a device ----

def device(lab, bare):
    fill(bare)
    digest = bare.digest()
    done = run_device(lab, "unarmed", bare, {}, []).expect(5)
    require(bare.digest() == digest, "the device was changed without being armed")
    armed = {"destroy": re.search(r"(loop:[^'\"\n]+)", done.text)[1]}
    read = [{"name": "read", "op": "read", "targets": ["raw"], "size": "16MiB"}]
    done = run_device(lab, "read", bare, armed, read).expect(3)
    require("was trimmed in this run" in done.text, f"why is not said:\n{done.text}")
    with open(bare.device, "rb") as file:
        require(not any(file.read(64 * MIB)), "there is data where it was given back")
        require(all(map(any, iter(lambda: file.read(MIB), b""))), "too much was given back")


def fill(bare):
    with open(bare.device, "wb") as file:
        for _ in range(128):
            file.write(os.urandom(MIB))
        file.flush()
        os.fsync(file.fileno())


def run_device(lab, name, bare, target, more):
    phases = [{"name": "trim", "op": "trim", "targets": ["raw"], "size": "64MiB", "workers": 2}]
    plan = write_plan(lab, name, [{"local": 1}], {"raw": {"device": bare.device, **target}},
                      phases + more)
    return lab.muster("run", plan, "--out", lab.directory / name).wait(30)

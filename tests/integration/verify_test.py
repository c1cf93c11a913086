"""What is damaged between a write and a read that verifies is found, named rightly and located.

Two local agents write a file for each kind of damage, twice; while both do nothing the test damages
the files as a disk would: behind their backs.
"""

import os

from disks import MIB, xfs_disk
from lab import require, wait_for
from plans import write_plan
from results import Result, host_of

BLOCK, SIZE = 64 << 10, 4 * MIB
KINDS = ["fine", "bit", "sector", "swap", "old", "host"]
PAUSE = {"op": "read", "targets": ["nothing"], "runtime": "4s"}
LONGER = {**PAUSE, "runtime": "10s"}  # files are read, written and synced in it


def test(lab):
    disk = xfs_disk(lab, "disk", 512)
    targets = {kind: {"path": ".", "size": "4MiB"} for kind in KINDS}
    targets["nothing"] = {"null": True, "size": "1MiB"}
    write = {"op": "write", "targets": KINDS, "size": "4MiB", "block_size": "64KiB"}
    phases = [{"name": "first", **write}, {"name": "pause-1", **PAUSE},
              {"name": "second", **write, "workers": 2}, {"name": "pause-2", **LONGER},
              {"name": "check", "op": "read", "targets": KINDS, "size": "4MiB",
               "block_size": "64KiB", "workers": 2, "verify": True},
              {"name": "larger", "op": "read", "targets": KINDS, "size": "4MiB", "verify": True}]
    plan = write_plan(lab, "verify", [{"local": 2, "scratch": disk.mount}], targets, phases)
    directory = lab.directory / "run"
    program = lab.muster("run", plan, "--out", directory)
    wait_for_phase(program, "pause-1")
    files = Files(disk)
    old = files.read("old", 9 * BLOCK, BLOCK)
    wait_for_phase(program, "pause-2")
    wanted = damage(files, old)
    require("phase check " not in "".join(program.output()), "the damage was done too late")
    done = program.wait(60).expect(3)
    require("MISCOMPARE" in done.stdout, f"the report does not say MISCOMPARE:\n{done.stdout}")
    result = Result(directory)
    require(result.outcome == "INVALID", f"outcome is {result.outcome}")
    for kind, found in wanted.items():
        target = target_of(result, "check", files.host, kind)
        require_found(kind, target["miscompares"], found)
        require(target["errors"] == 0, f"{kind}: {target['errors']} errors")
    require_rest_is_right(result, wanted, files.host)
    require_larger(result, files.host)
    require_evidence(lab, result, files.host)


class Files:
    """Those of the first host, which are damaged, and of the other, from which they are."""

    def __init__(self, disk):
        self.paths = {path.name: path for path in disk.mount.rglob("muster.*.data")}
        self.host, self.other = sorted({name.split(".")[1] for name in self.paths})

    def open(self, kind, flags, host=None):
        return os.open(self.paths[f"muster.{host or self.host}.{kind}.data"], flags)

    def read(self, kind, offset, size, host=None):
        fd = self.open(kind, os.O_RDONLY, host)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        data = os.pread(fd, size, offset)
        os.close(fd)
        return data

    def write(self, kind, offset, data):
        fd = self.open(kind, os.O_RDWR)
        require(os.pwrite(fd, data, offset) == len(data), "short write")
        os.fsync(fd)
        os.close(fd)


def wait_for_phase(program, name):
    """Which is said when the phase before it has ended, its sync too."""
    def has_begun():
        require(program.is_running(), f"the run is over: {program.output()}")
        return f"phase {name} " in "".join(program.output())

    wait_for(has_begun, 60, f"phase '{name}'")


def damage(files, old):
    """Answers for each kind: name, first wrong byte, bad blocks, and what the sentence says."""
    wanted = {}

    at = 5 * BLOCK + 12345
    byte = files.read("bit", at, 1)[0]
    files.write("bit", at, bytes([byte ^ 16]))
    wanted["bit"] = ("bit_flips", at, 1, "1 bit of a sector")

    at = 7 * BLOCK + 3 * 512
    right = files.read("sector", at, 512)
    files.write("sector", at, bytes(512))
    wanted["sector"] = ("zeros", at + first_difference(right, bytes(512)), 1, "zeros")

    one, two = files.read("swap", 2 * BLOCK, BLOCK), files.read("swap", 40 * BLOCK, BLOCK)
    files.write("swap", 2 * BLOCK, two)
    files.write("swap", 40 * BLOCK, one)
    wanted["swap"] = ("misdirected", 2 * BLOCK + first_difference(one, two), 2,
                      f"data of offset {40 * BLOCK}, generation ")

    right = files.read("old", 9 * BLOCK, BLOCK)
    files.write("old", 9 * BLOCK, old)
    wanted["old"] = ("stale", 9 * BLOCK + first_difference(right, old), 1,
                     "stale: generation 0 where")

    right = files.read("host", 11 * BLOCK, BLOCK)
    strange = files.read("host", 11 * BLOCK, BLOCK, files.other)
    files.write("host", 11 * BLOCK, strange)
    wanted["host"] = ("misdirected", 11 * BLOCK + first_difference(right, strange), 1,
                      f"target 'host' of host '{files.other}'")
    return wanted


def first_difference(one, two):
    return next(i for i in range(len(one)) if one[i] != two[i])


def target_of(result, phase, host, name):
    for target in host_of(result.phase(phase), host)["targets"]:
        if target["target"] == name:
            return target
    raise AssertionError(f"{phase}: {host} has no target '{name}'")


def require_found(kind, found, wanted):
    name, offset, blocks, text = wanted
    require(found["blocks"] == blocks and found[name] == blocks,
            f"{kind}: {found['blocks']} bad blocks, {found[name]} of them {name}, not {blocks}:"
            f" {found['first']}")
    require(found["first_offset"] == offset,
            f"{kind}: the first wrong byte is {found['first_offset']}, not {offset}")
    require(text in found["first"], f"{kind}: '{text}' is not in '{found['first']}'")


def require_rest_is_right(result, wanted, damaged_host):
    for host in result.phase("check")["hosts"]:
        for target in host["targets"]:
            found = target["miscompares"]
            where = f"{host['host']} {target['target']}"
            require(found["verified_bytes"] == target["bytes"] == SIZE,
                    f"{where}: {found['verified_bytes']} of {target['bytes']} bytes are verified")
            if host["host"] != damaged_host or target["target"] not in wanted:
                require(found["blocks"] == 0 and found["evidence"] is None,
                        f"{where}: {found['blocks']} bad blocks: {found['first']}")
    codes = [finding for finding in result.run["findings"] if finding["code"] == "MISCOMPARE"
             and finding["phase"] == "check"]
    require(len(codes) == len(wanted), f"{len(codes)} findings MISCOMPARE")


def require_larger(result, host):
    """What was written in small blocks can be read in large ones."""
    swap = target_of(result, "larger", host, "swap")["miscompares"]
    require(swap["blocks"] == 2 and swap["misdirected"] == 2, f"larger blocks: {swap}")


def require_evidence(lab, result, host):
    path = target_of(result, "check", host, "sector")["miscompares"]["evidence"]
    with open(path, "rb") as file:
        head, expected, found = file.read(512), file.read(BLOCK), file.read(BLOCK)
    require(b"zeros" in head, f"evidence begins with {head}")
    at = 3 * 512
    require(found[at:at + 512] == bytes(512), "the evidence has not what was found")
    require(expected[:at] == found[:at] and expected[at + 512:] == found[at + 512:]
            and expected[at:at + 512] != bytes(512), "the evidence has not what was expected")

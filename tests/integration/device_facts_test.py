"""Devices and file systems as a few words describe them, made for real and asked for: which are never
written to, which with consent, which have no direct I/O. Descriptions of our own always; other
people's, with their answers, where MUSTER_CASES names the directory that has them (MC-10, MC-13,
MC-46). A description's rows that are of another system, or of a file system that cannot be made here,
are named and left out."""

import csv
import errno
import json
import os
import pathlib
import shutil

import signatures
from disks import require_loop_devices, xfs_disk
from hosts import Fleet
from interlock_test import Bench, armed_with, still, zfs
from lab import require, require_tools
from plans import write_plan
from results import Result

DEVICES = {
    "whole": {"parts": ["whole1", "whole2"], "mounted": {"whole2": "/x"}},
    "part": {"parent": "other", "mounted": {"part": "/y"}},
    "free": {"parts": [], "signature": "gpt"},
    "bare": {"parts": [], "signature": None},
    "lvm": {"parts": [], "signature": "LVM2_member"},
    "mirror": {"parts": [], "md_member": "md9"},
    "swap": {"parts": ["swap1"], "swap": ["swap1"]},
}
NEVER, WITH_CONSENT = {"whole", "part", "lvm", "mirror", "swap"}, {"free", "bare"}
SWAP_HEADER, PART_BEGIN = 4096, 1 << 20
DIRECT = [({"os": "linux", "fs": "xfs", "open": "ok"}, "OK"),
          ({"os": "linux", "fs": "fuse", "open": "ok"}, "DIRECT_REFUSED"),
          ({"os": "linux", "fs": "overlay", "open": "EINVAL"}, "DIRECT_REFUSED"),
          ({"os": "linux", "fs": "tmpfs", "open": "ok"}, "RAM_TARGET")]


def test(lab):
    require_loop_devices(lab)
    require_tools("mkfs.ext4", "mkfs.xfs", "mkswap", "swapon", "sfdisk", "partx", "pvcreate")
    bench, fleet = Bench(lab), Fleet(lab, 1)
    pool = next(zfs(lab, bench), None)
    own = make_all(lab, bench, DEVICES, "own", pool)
    disk = xfs_disk(lab, "disk", 320)
    places = {fs: make_place(lab, disk, fs) for fs in ("xfs", "overlay", "tmpfs")}
    if pool:
        places["fuse"] = lab.directory / "place-fuse"
        lab.call("zfs", "create", "-o", f"mountpoint={places['fuse']}", f"{lab.prefix}in/place")
    root, theirs, missing = os.environ.get("MUSTER_CASES"), {}, []
    if root:
        root = pathlib.Path(root)
        answers = json.loads((root / "expected.json").read_text())
        facts = json.loads(find(root, answers, "MC-46", "devices.json").read_text())
        theirs = make_all(lab, bench, facts, "their", pool)
        missing = missing_devices(find(root, answers, "MC-13", "plan.yaml"))
    fleet.hosts[0].start_agent(disk, devices=[*own.values(), *theirs.values(), *missing],
                               paths=list(places.values()))
    require_told_apart(lab, fleet, bench, own, NEVER, WITH_CONSENT)
    for row, wanted in DIRECT:
        require_direct(lab, fleet, places, row, wanted)
    if not root:
        print("other people's devices are left out: MUSTER_CASES is not set", flush=True)
        return
    wanted = answers["MC-46"]["expected"]
    codes = require_told_apart(lab, fleet, bench, theirs, set(wanted["never"]),
                               set(wanted["with_consent"]))
    require(set(wanted["codes"]) <= codes, f"found {codes}, not {wanted['codes']}")
    for path in missing:
        require_missing_stays_so(lab, fleet, path, answers["MC-13"]["expected"])
    wanted = answers["MC-10"]["expected"]
    with open(find(root, answers, "MC-10", "probes.csv"), newline="") as file:
        for row in csv.DictReader(file):
            require_direct(lab, fleet, places, row, wanted["required"][row["host"]].split(":")[0])


def find(root, answers, name, file):
    return next(root / path for path in answers[name]["inputs"] if path.endswith("/" + file))


# ---- devices ----

def make_all(lab, bench, facts, prefix, pool):
    """By name the device that stands for it; `pool` for what is a member of one, None: there is
    none."""
    made = {}
    for name, about in facts.items():
        if not about.get("zpool_member"):
            made[name] = make(lab, bench, name, about, f"{prefix}-{name}")
        elif pool:
            made[name] = pool[1]
    return made


def make(lab, bench, name, about, image):
    parts = about.get("parts") or ([name] if "parent" in about else [])
    if parts:
        disk, devices = bench.partitioned(image, *[16] * len(parts))
    else:
        disk, devices = bench.disk(image), []
    of, signature = {name: disk, **dict(zip(parts, devices))}, about.get("signature")
    for part in about.get("mounted", {}):
        lab.call("mkfs.ext4", "-q", of[part])
        still(lab, of[part], f"{image}-{part}")
    for part in about.get("swap", []):
        lab.call("mkswap", of[part])
        lab.call("swapon", of[part])
        lab.undo.callback(lab.call, "swapoff", of[part])
        # The kernel itself may swap to what is behind; a write would be at the begin.
        bench.counted[of[part]] = SWAP_HEADER
        bench.counted[disk] = min(bench.counted.get(disk, PART_BEGIN), PART_BEGIN)
    if about.get("md_member"):
        signatures.md_1(disk, "1.2")
    if signature == "gpt":
        signatures.gpt(lab, disk)
    elif signature == "LVM2_member":
        signatures.lvm(lab, disk)
    else:
        require(not signature, f"{name}: nothing makes {signature}")
    return of[name]


def ask(lab, fleet, target, phase):
    """Exit code and codes of refusals of a run."""
    plan = write_plan(lab, "facts", [{"host": fleet.hosts[0].address}], {"t": target},
                      [{"name": "p", "op": "write", "targets": ["t"], "size": "1MiB", **phase}])
    directory = lab.directory / "facts-run"
    done = fleet.muster("run", plan, "--out", directory).wait(60)
    levels = ("REFUSE", "INVALID", "WARN")
    codes = {f["code"] for f in Result(directory).run["findings"] if f["level"] in levels}
    shutil.rmtree(directory)
    return done.code, codes, done.text


def require_told_apart(lab, fleet, bench, devices, never, with_consent):
    found = set()
    for name in sorted((never | with_consent) - set(devices)):
        print(f"left out: {name} cannot be made here", flush=True)
    for name, device in devices.items():
        before = bench.digest(device)
        unarmed, codes, text = ask(lab, fleet, {"device": device}, {})
        require(unarmed == 5, f"{name}: exit {unarmed} without consent:\n{text}")
        found |= codes
        armed = {"device": device, "destroy": armed_with(bench, device)}
        if name in never:
            code, codes, text = ask(lab, fleet, armed, {})
            require(code == 5 and codes == {"TARGET_IN_USE"}, f"{name}: {code}, {codes}:\n{text}")
            require(bench.digest(device) == before, f"{name} was changed")
            continue
        require(name in with_consent, f"{name} is neither")
        require(codes <= {"TARGET_HAS_DATA", "NOT_ARMED"}, f"{name}: found {codes}")
        require(bench.digest(device) == before, f"{name} was changed without consent")
        code, codes, text = ask(lab, fleet, armed, {})
        require(code == 0 or "REFUSED" not in text, f"{name}: {code} with consent:\n{text}")
        require(bench.digest(device) != before, f"{name} was not written to")
    return found


def missing_devices(plan):
    """The devices that a plan names."""
    words = plan.read_text().replace("[", " ").replace("]", " ").replace("}", " ").split()
    return [word for word in words if word.startswith("/dev/")]


def require_missing_stays_so(lab, fleet, path, wanted):
    require(path == wanted["must_not_create"], f"the plan has '{path}'")
    if os.path.lexists(path):
        print(f"left out: this machine has a {path}", flush=True)
        return
    code, codes, text = ask(lab, fleet, {"device": path, "destroy": "x"}, {"direct": True})
    require(code == 5 and codes == set(wanted["codes"]), f"exit {code}, found {codes}:\n{text}")
    require(not os.path.lexists(path), f"'{path}' was made")


# ---- direct I/O ----

def make_place(lab, disk, fs):
    where = lab.directory / f"place-{fs}"
    where.mkdir()
    if fs == "xfs":
        where = disk.mount / "place"
        where.mkdir()
        return where
    options = ["-o", "size=16m"]
    if fs == "overlay":
        for name in ("lower", "upper", "work"):
            (disk.mount / name).mkdir()
        options = ["-o", ",".join(f"{key}dir={disk.mount / key}"
                                  for key in ("lower", "upper", "work"))]
    lab.call("mount", "-t", fs, *options, fs, where)
    lab.undo.callback(lab.call, "umount", where)
    return where


def probe(where):
    """Whether a file opens with O_DIRECT there: with some file systems that is the kernel's age."""
    file = where / "probe"
    file.touch()
    try:
        os.close(os.open(file, os.O_RDWR | os.O_DIRECT))
    except OSError as error:
        return errno.errorcode[error.errno]
    finally:
        file.unlink()
    return "ok"


def require_direct(lab, fleet, places, row, wanted):
    """`direct: true` there is what the row says: OK, or the code that it is refused for."""
    fs = row["fs"].split(".")[0]  # "fuse.mergerfs" as any other daemon
    if row["os"] != "linux" or fs not in places or probe(places[fs]) != row["open"]:
        print(f"left out: {row['os']} {row['fs']}, open: {row['open']}", flush=True)
        return
    target = {"path": places[fs], "size": "1MiB"}
    code, codes, text = ask(lab, fleet, target, {"direct": True})
    if wanted == "OK":
        require("REFUSED" not in text and code in (0, 3), f"{row}: exit {code}:\n{text}")
    else:
        require(code == 5 and codes == {wanted}, f"{row}: exit {code}, {codes}:\n{text}")

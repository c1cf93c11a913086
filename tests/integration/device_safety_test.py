"""A device is read without arming and unchanged; written only with its identity; never in use."""

import os
import re

from disks import bare_disk, xfs_disk
from hosts import Fleet
from lab import require
from plans import write_plan
from results import Result, require_near


def test(lab):
    disk, held = bare_disk(lab, "bare", 128), xfs_disk(lab, "held")
    fleet = Fleet(lab, 1)
    fleet.hosts[0].start_agent(disk, devices=[disk.device, held.device])
    identity = refuse_to_write(lab, fleet, disk)
    look(lab, fleet, disk, identity)
    read_only(lab, fleet, disk)
    never_when_open(lab, fleet, disk, identity)
    never_when_mounted(lab, fleet, held)
    only_when_listed(lab, fleet)
    write(lab, fleet, disk, identity)


def run(lab, fleet, name, device, op, destroy=None):
    target = {"device": device, **({"destroy": destroy} if destroy else {})}
    phases = [{"name": op, "op": op, "targets": ["raw"], "runtime": "1s"}]
    plan = write_plan(lab, name, [{"host": fleet.hosts[0].address}], {"raw": target}, phases)
    return fleet.run(plan)


def read_only(lab, fleet, disk):
    digest = disk.digest()
    for name, destroy in (("read", None), ("read-armed", "loop:something:else")):
        done, directory = run(lab, fleet, name, disk.device, "read", destroy)
        done.expect(0)
        result = Result(directory)
        result.require_sums()
        device = result.phase("read")["hosts"][0]["devices"][0]
        require_near(device["share"], 1.0, 0.02, "share of the device")
        require(device["bytes_written"] == 0, f"{device['bytes_written']} bytes were written")
        require(disk.digest() == digest, f"{name}: the device was changed")


def refuse_to_write(lab, fleet, disk):
    """Answers the identity that the refusal prints ready to paste."""
    digest = disk.digest()
    done, _ = run(lab, fleet, "unarmed", disk.device, "write")
    done.expect(5)
    require(disk.digest() == digest, "the device was changed without being armed")
    found = re.search(r"destroy: *(['\"]?)(loop:[^'\"\n]+)\1", done.text)
    require(found, f"the refusal does not print the identity:\n{done.text}")
    for name, destroy in (("wrong", "loop:/nowhere.img:1:2"), ("part", found[2][:-1])):
        done, _ = run(lab, fleet, name, disk.device, "write", destroy)
        done.expect(5)
        require(disk.digest() == digest, f"the device was changed with a {name} identity")
    return found[2]


def look(lab, fleet, disk, identity):
    """`check --fleet` says what would be lost, or what refuses it, and touches nothing."""
    digest = disk.digest()
    for destroy, code, words in ((None, 5, f'destroy: "{identity}"'),
                                 (identity, 0, "WHOSE CONTENT IS LOST")):
        target = {"device": disk.device, **({"destroy": destroy} if destroy else {})}
        phases = [{"name": "write", "op": "write", "targets": ["raw"], "runtime": "1s"}]
        plan = write_plan(lab, f"look-{code}", [{"host": fleet.hosts[0].address}],
                          {"raw": target}, phases)
        done = fleet.muster("check", plan, "--fleet").wait(30).expect(code)
        require(words in done.text, f"'{words}' is not said:\n{done.text}")
        require(disk.digest() == digest, "looking changed the device")


def never_when_open(lab, fleet, disk, identity):
    """By a program that writes to it without holding it, as virtual machines do."""
    digest = disk.digest()
    with open(disk.device, "rb+", buffering=0):
        done, _ = run(lab, fleet, "open", disk.device, "write", identity)
        done.expect(5)
    words = f"is open for writing in {open('/proc/self/comm').read().strip()} (pid {os.getpid()})"
    require(words in done.text.replace("\n", " "), f"'{words}' is not said:\n{done.text}")
    require(disk.digest() == digest, "a device that is open elsewhere was changed")


def never_when_mounted(lab, fleet, held):
    done, _ = run(lab, fleet, "mounted", held.device, "write", "loop:/nowhere.img:1:2")
    done.expect(5)
    found = re.search(r"(loop:/[^'\"\n]*held\.img:[0-9:]+)", done.text)
    armed = found[1] if found else identity_of(lab, held)
    done, _ = run(lab, fleet, "mounted-armed", held.device, "write", armed)
    done.expect(5)
    require("mounted" in done.text, f"why is not said:\n{done.text}")
    lab.call("ls", held.mount)

    done, directory = run(lab, fleet, "mounted-read", held.device, "read")
    done.expect(0)
    result = Result(directory)
    notes = result.phase("read")["hosts"][0]["notes"]
    require(any("mounted" in str(note) for note in notes),
            f"reading a device in use is not remarked upon: {notes}")


def identity_of(lab, disk):
    image = lab.directory / "held.img"
    status = image.stat()
    return f"loop:{image}:{status.st_dev}:{status.st_ino}"


def only_when_listed(lab, fleet):
    done, _ = run(lab, fleet, "unlisted", "/dev/loop-control", "read")
    done.expect(5)
    require("allow_devices" in done.text, f"which list is not said:\n{done.text}")


def write(lab, fleet, disk, identity):
    digest = disk.digest()
    done, directory = run(lab, fleet, "armed", disk.device, "write", identity)
    done.expect(0)
    Result(directory).require_sums()
    require(disk.digest() != digest, "the device was not changed")

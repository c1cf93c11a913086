"""`muster check --fleet` says of each host what would be made, read, overwritten and removed, how many
bytes, what refuses it and what would arm it; and not a byte of it happens."""

import signal
import time

from disks import bare_disk, xfs_disk
from hosts import Fleet
from lab import require, wait_for
from plans import write_plan


def test(lab):
    disk, bare = xfs_disk(lab, "disk"), bare_disk(lab, "bare", 32)
    memory = lab.directory / "memory"
    memory.mkdir()
    lab.call("mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", memory)
    lab.undo.callback(lab.call, "umount", memory)
    fleet = Fleet(lab, 2)
    for host in fleet.hosts:
        host.start_agent(disk, devices=[bare.device], paths=[memory])
    digest = bare.digest()
    says(lab, fleet, disk, bare)
    refuses(lab, fleet, disk, memory)
    is_interrupted(lab, fleet, disk)
    require(disk.files() == [] and list(memory.iterdir()) == [], "something was made")
    require(bare.digest() == digest, "the device was changed")


def check(lab, fleet, targets, phases, code):
    agents = [{"host": host.address} for host in fleet.hosts]
    plan = write_plan(lab, "check", agents, targets, phases)
    return fleet.muster("check", plan, "--fleet").wait(30).expect(code)


def says(lab, fleet, disk, bare):
    targets = {"raw": {"device": bare.device},
               "gone": {"path": disk.mount, "size": "48MiB"},
               "kept": {"path": disk.mount / "name", "size": "24MiB", "keep": True}}
    phases = [{"name": "r", "op": "read", "targets": ["raw", "gone"], "runtime": "1s"},
              {"name": "w", "op": "write", "targets": ["kept"], "size": "8MiB"}]
    said = check(lab, fleet, targets, phases, 0).stdout
    for host in fleet.hosts:
        require(f"host {host.address}" in said, f"{host.address} is not there:\n{said}")
        file = disk.mount / f"muster.{host.address}.gone.data"
        require(f"makes '{file}' of 48.0 MiB, which is removed at the end" in said, said)
    status = (lab.directory / "bare.img").stat()
    identity = f"loop:{lab.directory / 'bare.img'}:{status.st_dev}:{status.st_ino}"
    for words in (f"reads the first 32.0 MiB of device '{bare.device}', which is left as it is",
                  f'destroy: "{identity}"',
                  "writes 48.0 MiB of it first, so far as no phase before this one has",
                  f"makes '{disk.mount / 'name'}' of 8.00 MiB, which stays there",
                  "no host refuses"):
        require(words in said, f"'{words}' is not said:\n{said}")


def refuses(lab, fleet, disk, memory):
    targets = {"ram": {"path": memory, "size": "4MiB"},
               "large": {"path": disk.mount, "size": "64GiB"},
               "away": {"path": disk.mount / "..", "size": "4MiB"},
               "fine": {"path": disk.mount, "size": "4MiB"}}
    phases = [{"name": name, "op": "write", "targets": [name], "size": "4MiB"}
              for name in ("ram", "away", "fine")]
    phases.append({"name": "large", "op": "write", "targets": ["large"], "runtime": "1s"})
    said = check(lab, fleet, targets, phases, 5).stdout
    for words in ("is held in memory", "does not list it", "too little space",
                  "makes '", f"{3 * len(fleet.hosts)} answers are no"):
        require(words in said, f"'{words}' is not said:\n{said}")


def is_interrupted(lab, fleet, disk):
    """Who looked at a part only does not say that no host refuses: the last phase is not allowed."""
    targets = {"fine": {"path": disk.mount, "size": "4MiB"},
               "away": {"path": disk.mount / "..", "size": "4MiB"}}
    phases = [{"name": f"p{number}", "op": "read", "targets": ["fine"], "runtime": "1s"}
              for number in range(400)]
    phases.append({"name": "away", "op": "read", "targets": ["away"], "runtime": "1s"})
    plan = write_plan(lab, "long", [{"host": host.address} for host in fleet.hosts], targets, phases)
    said = ""
    # Joining ends within 3 s of the lease, looking takes a tick of 20 ms for each phase at least.
    for pause in (0, 0.03, 0.06, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1.2, 1.6, 4):
        said = interrupt_after(fleet, plan, pause)
        require("no host refuses" not in said, said)
        if "of 401 phases were looked at" in said:
            break
    require("interrupted: " in said and "of 401 phases were looked at" in said, said)


def interrupt_after(fleet, plan, pause):
    """What is said by a check that was interrupted so long after its last lease: it may be connecting still."""
    agents = [host.agent for host in fleet.hosts]
    before = [agent.output()[1].count("leased to") for agent in agents]
    program = fleet.muster("check", plan, "--fleet")
    wait_for(lambda: all(agent.output()[1].count("leased to") > count
                         for agent, count in zip(agents, before)), 10, "the leases")
    time.sleep(pause)
    program.signal(signal.SIGTERM)
    ended = program.wait(10).expect(6)
    connecting = "interrupted while connecting" in ended.stderr
    require(connecting or "interrupted: " in ended.stdout, ended.stderr + ended.stdout)
    return ended.stdout

"""A disk that somebody else fills in mid-phase, and one that is too small from the start."""

import os

from disks import MIB, xfs_disk
from hosts import Fleet
from lab import require
from plans import fleet_plan
from results import Result, host_of


def test(lab):
    disks = [xfs_disk(lab, "disk1", 4096), xfs_disk(lab, "disk2", 4096)]
    fleet = Fleet(lab, 2)
    for host, disk in zip(fleet.hosts, disks):
        host.start_agent(disk)
    too_small_from_the_start(lab, fleet)
    filled_in_mid_phase(lab, fleet)


def too_small_from_the_start(lab, fleet):
    phases = [{"name": "write", "op": "write", "targets": ["disk"], "runtime": "5s"}]
    plan = fleet_plan(fleet, "small", phases, "64GiB")
    before = [host.disk.counters()[1] for host in fleet.hosts]
    done, _ = fleet.run(plan)
    done.expect(5)
    for host, was in zip(fleet.hosts, before):
        require(host.disk.files() == [], f"{host.address}: made {host.disk.files()}")
        require(host.disk.counters()[1] - was < 4 * MIB, f"{host.address}: was written to")
    # The first to find out ends it for the other.
    require(any(host.address in line and f"'{host.disk.mount}'" in line and "'disk'" in line
                and "wanted" in line and "free" in line
                for host in fleet.hosts for line in done.stderr.splitlines()),
            f"host, path, target, wanted and free are not said:\n{done.stderr}")


def filled_in_mid_phase(lab, fleet):
    """Random writes into a file that is not there yet need room up to the end."""
    phases = [{"name": "write", "op": "write", "targets": ["disk"], "access": "random",
               "block_size": "64KiB", "runtime": "20s"}]
    plan = fleet_plan(fleet, "full", phases, "3GiB")
    victim = fleet.hosts[0]
    program, directory = fleet.begin(plan)
    victim.wait_for_load(program)
    filler = victim.disk.mount / "filler"
    fill(filler)
    done = program.wait(40).expect(3)
    require(done.seconds < 20, f"the run went on for {done.seconds:.1f} s")
    for word in (victim.address, "'disk'", str(victim.disk.mount), "wanted", "free"):
        require(word in done.stderr, f"'{word}' is not said:\n{done.stderr}")
    require(victim.disk.files() == ["filler"], f"files are left: {victim.disk.files()}")

    result = Result(directory)
    require(result.outcome == "INVALID", f"outcome is {result.outcome}")
    result.require_sums()
    phase = result.phase("write")
    require(host_of(phase, victim.address)["state"] == "broken",
            f"the host's state is {host_of(phase, victim.address)['state']}")
    require(phase["cluster"] is None, "there is a cluster figure")


def fill(path):
    """Takes all the room that there is: in great pieces without writing them, then in small."""
    with open(path, "wb", buffering=0) as file:
        size, piece = 0, 1 << 30
        while piece >= 4096:
            try:
                os.posix_fallocate(file.fileno(), size, piece)
                size += piece
            except OSError:
                piece //= 2

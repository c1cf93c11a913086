"""A disk of one of four hosts that is too full from the start, and one that somebody else fills in
mid-phase."""

import os
import time

from faults import (ENDED_S, disk_writes, four_hosts, hosts_named, require_as_before, require_found,
                    require_goes_on, require_missing, require_untouched, sound_result)
from lab import require
from plans import fleet_plan

RUNTIME_S = {"abort": 30, "continue": 6}


def test(lab):
    fleet = four_hosts(lab, 4096)
    victim = fleet.hosts[0]
    too_full_from_the_start(fleet, victim)
    for policy in RUNTIME_S:
        filled_in_mid_phase(fleet, victim, policy)
    require_as_before(fleet)


def too_full_from_the_start(fleet, victim):
    phases = [{"name": "write", "op": "write", "targets": ["disk"], "runtime": "5s"}]
    filler = fill(victim)
    before = disk_writes(fleet.hosts)
    done, directory = fleet.run(fleet_plan(fleet, "small", phases, "3GiB"))
    done.expect(5)
    filler.unlink()
    require_untouched(before)
    require_said(done, victim)
    require(hosts_named(done.stderr) == {victim.address}, f"others are well:\n{done.stderr}")
    require(sound_result(fleet, directory).outcome == "REFUSED", "it is not said to be refused")


def filled_in_mid_phase(fleet, victim, policy):
    """Random writes into a file that is not there yet need room up to the end."""
    phases = [{"name": "write", "op": "write", "targets": ["disk"], "access": "random",
               "block_size": "64KiB", "runtime": f"{RUNTIME_S[policy]}s"}]
    plan = fleet_plan(fleet, f"full-{policy}", phases, "3GiB", settings={"on_host_loss": policy})
    program, directory = fleet.begin(plan)
    began = victim.wait_for_load(program)
    filler = fill(victim)
    filled = time.monotonic()
    done = program.wait(60).expect(3)
    ends = began + RUNTIME_S[policy] if policy == "continue" else filled
    took = time.monotonic() - max(ends, filled)
    require(took <= ENDED_S, f"{policy}: the run went on for {took:.1f} s")
    require_said(done, victim)
    require(victim.disk.files() == ["filler"], f"files are left: {victim.disk.files()}")
    filler.unlink()

    result = sound_result(fleet, directory)
    require(result.outcome == "INVALID", f"outcome is {result.outcome}")
    phase = result.phase("write")
    require_missing(result, phase, [victim], "DISK_FULL", "broken")
    require_found(result, "PARTIAL", [victim])
    require_goes_on(result, phase, fleet.hosts[1:],
                    "aborted" if policy == "abort" else "complete")


def require_said(done, victim):
    require(any(victim.address in line and str(victim.disk.mount) in line and "'disk'" in line
                and "wanted" in line and "free" in line for line in done.stderr.splitlines()),
            f"host, path, target, wanted and free are not said:\n{done.stderr}")


def fill(host):
    """Takes all the room that there is: in great pieces without writing them, then in small."""
    path = host.disk.mount / "filler"
    with open(path, "wb", buffering=0) as file:
        size, piece = 0, 1 << 30
        while piece >= 4096:
            try:
                os.posix_fallocate(file.fileno(), size, piece)
                size += piece
            except OSError:
                piece //= 2
    return path

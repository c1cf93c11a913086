"""faults.py - the four hosts of docs/FAULTS.md, and what has to hold of them after any fault."""

import re

from disks import xfs_disk
from hosts import Fleet
from lab import require, wait_for
from plans import fleet_plan
from results import Result, host_of, moved_by
from spools import Spool

HOSTS = 4
AGAIN = [{"name": "again", "op": "write", "targets": ["disk"], "size": "16MiB"}]
# Promised in docs/FAULTS.md: until a silence of dead_after is said, and until a run that is broken
# off has ended where the other hosts' disks answer.
SAID_S, ENDED_S = 1, 5


def four_hosts(lab, size_mib=512, devices=None):
    """Each with a file system and an agent of its own; `devices` may name more for a host, by its
    number."""
    fleet = Fleet(lab, HOSTS)
    for host in fleet.hosts:
        host.start_agent(xfs_disk(lab, f"disk{host.number}", size_mib),
                         devices=(devices or {}).get(host.number, ()))
    return fleet


def sound_result(fleet, directory):
    """What a run has left behind is whole: each file as it was written, and sums to the byte."""
    # All unchanged, and not signed.
    fleet.muster("verify", directory).wait(20).expect(4)
    result = Result(directory)
    result.require_sums()
    return result


def require_found(result, code, hosts):
    """That finding, of these hosts and of no other."""
    found = {finding["host"] for finding in result.run["findings"] if finding["code"] == code}
    wanted = {host.address for host in hosts}
    require(found == wanted, f"{code} is said of {found or 'none'}, not of {wanted or 'none'}")


def require_missing(result, phase, hosts, code="HOST_LOST", state="lost"):
    """These and no others are out of it; the cluster has the figure of the rest alone."""
    require_found(result, code, hosts)
    missing = {part["host"] for part in phase["hosts"] if part["state"] == state}
    require(missing == {host.address for host in hosts}, f"{state} are {missing}")
    partial = phase["cluster_partial"]
    require(phase["cluster"] is None and partial and
            (partial["hosts"], partial["of"]) == (HOSTS - len(hosts), HOSTS), f"{partial}")


def require_goes_on(result, phase, hosts, state):
    """These ended in that state and no second is without a byte until then."""
    for host in hosts:
        part = host_of(phase, host.address)
        require(part["state"] == state, f"{host.address}: {part['state']}, {part['text']}")
        require(moved_by(phase, host.address, "bytes") > 0, f"nothing of {host.address}")
        result.require_no_gap(phase, host.address)


def hosts_named(text):
    """The addresses of those that lines speak of, alone (host '10.77.0.1') or by one reason for
    several (hosts 10.77.0.[1,3-4]: …)."""
    named = set(re.findall(r"host '([^']+)'", text))
    for before, ranges in re.findall(r"hosts ([0-9.]+)\[([0-9,-]+)\]:", text):
        for part in ranges.split(","):
            first, _, last = part.partition("-")
            named |= {f"{before}{i}" for i in range(int(first), int(last or first) + 1)}
    return named


def require_untouched(before):
    """Nothing was started there: no file, no byte since disk_writes() was `before`."""
    for host in before:
        require(host.disk.files() == [], f"{host.address}: made {host.disk.files()}")
        moved = host.disk.counters()[1] - before[host]
        # A file system writes a block of its log now and then.
        require(moved < 4 << 20, f"{host.address}: {moved} bytes were written")


def disk_writes(hosts):
    return {host: host.disk.counters()[1] for host in hosts}


def kept_bytes(host):
    """What its spool has of the one phase that it keeps, and whether that is all of it."""
    spool = Spool(host.lab, host)
    require(len(spool.runs()) == 1, f"{host.address} keeps runs {spool.runs()}")
    files = spool.phases(spool.runs()[0])
    require(len(files) == 1, f"{host.address} keeps {files}")
    moved, is_whole = spool.moved(files[0])
    require(moved > 0, f"{host.address} keeps nothing")
    return moved, is_whole


def wait_until_kept(hosts):
    """Until the spool of each has something of the phase that is under way."""
    def all_have_some():
        spools = [Spool(host.lab, host) for host in hosts]
        return all(any(spool.moved(path)[0] for run in spool.runs() for path in spool.phases(run)[-1:])
                   for spool in spools)

    wait_for(all_have_some, 30, "what is measured in the spools")


def require_as_before(fleet):
    """Nothing of the fault is left: no file, no process, no result, no lease; and all four work."""
    lab = fleet.lab
    for host in fleet.hosts:
        require(host.agent.is_running(), f"the agent of {host.address} has ended")
        wait_for(lambda host=host: host.disk.files() == [], 10, f"{host.address} cleans up")
        wait_for(lambda host=host: not Spool(lab, host).runs(), 10, f"{host.address} forgets")
    require_no_process(fleet)
    plan = fleet_plan(fleet, f"again-{len(lab.programs)}", AGAIN, "16MiB")
    # Which takes and gives back the lease of each.
    listed = fleet.muster("fleet", plan).wait(30).expect(0).stdout
    for words in ("keeps results", "could not remove"):
        require(words not in listed, listed)
    done, directory = fleet.run(plan)
    done.expect(0)
    result = sound_result(fleet, directory)
    cluster = result.phase("again")["cluster"]
    require(result.outcome == "PASS" and cluster is not None, f"the next run is {result.outcome}")
    require_goes_on(result, result.phase("again"), fleet.hosts, "complete")
    for host in fleet.hosts:
        require(host.disk.files() == [], f"{host.address} has {host.disk.files()} of it")
    require_no_process(fleet)


def require_no_process(fleet):
    """But the agents."""
    fleet.lab.require_nothing_left(but=[host.agent.pid for host in fleet.hosts])

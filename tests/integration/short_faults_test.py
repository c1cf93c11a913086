"""Faults shorter than dead_after, at its default of 10 s: a link that is down for 5 s loses nothing, nor
one that loses what the host sends; a host that stands still for 5 s has done less, which is said with
from and to; the fourth goes on as if nothing had been."""

import re
import signal
import time

from disks import xfs_disk
from hosts import Fleet, blackhole
from lab import require
from plans import fleet_plan
from results import Result, host_of
from spools import Spool

FAULT_S = 5


def test(lab):
    fleet = Fleet(lab, 4)
    for number, host in enumerate(fleet.hosts):
        host.start_agent(xfs_disk(lab, f"disk{number}"))
    cut, mute, frozen, fine = fleet.hosts
    phases = [{"name": "write", "op": "write", "targets": ["disk"], "runtime": "14s"}]
    plan = fleet_plan(fleet, "faults", phases, size="64MiB")
    program, directory = fleet.begin(plan)
    frozen.wait_for_load(program)
    time.sleep(1)
    cut.link("down")
    blackhole(lab, mute.namespace, fleet.controller_address, "add")
    frozen.agent.signal(signal.SIGSTOP)
    time.sleep(FAULT_S)
    frozen.agent.signal(signal.SIGCONT)
    cut.link("up")
    blackhole(lab, mute.namespace, fleet.controller_address, "del")
    done = program.wait(60).expect(3)

    result = Result(directory)
    result.require_sums()
    phase = result.phase("write")
    for host in fleet.hosts:
        part = host_of(phase, host.address)
        require(part["state"] == "complete", f"{host.address}: {part['state']}, {part['text']}")
        require(not Spool(lab, host).runs(), f"{host.address} keeps {Spool(lab, host).runs()}")
    of = {code: {finding["host"] for finding in result.run["findings"] if finding["code"] == code}
          for code in ("HOST_FROZEN", "LATE_HEARTBEAT", "HOST_LOST")}
    require(of == {"HOST_FROZEN": {frozen.address}, "HOST_LOST": set(),
                   "LATE_HEARTBEAT": {cut.address, mute.address}}, f"{of}")
    require_said(done, phase, frozen)
    for host in (cut, mute, fine):
        require_no_gap(result, phase, host)
    require_frozen(result, phase, frozen)


def require_said(done, phase, host):
    """Degraded, from when to when into the run."""
    text = " ".join(done.stdout.split())
    found = re.search(r"degraded: the agent itself did not run for \S+ s, from (\S+) s to (\S+) s "
                      r"into the run", text)
    require(found and host.address in text, f"from and to are not said:\n{done.stdout}")
    begin, length = (host_of(phase, host.address)[key] / 1e9
                     for key in ("frozen_from_ns", "frozen_ns"))
    require(abs(float(found[1]) - begin) < 0.01 and abs(float(found[2]) - begin - length) < 0.01,
            f"from {found[1]} to {found[2]}, measured {begin} and {length} s")


def empty_buckets(result, phase, host):
    rows = {row["bucket"]: row["bytes"] for row in result.rows_of(phase, host.address)}
    return [bucket for bucket in range(max(rows)) if not rows.get(bucket)]


def require_no_gap(result, phase, host):
    """What was done while the link was down is there: no second without a byte."""
    empty = empty_buckets(result, phase, host)
    longest = run = 0
    for bucket in range(len(result.rows_of(phase, host.address))):
        run = run + 1 if bucket in empty else 0
        longest = max(longest, run)
    require(longest < 20, f"{host.address}: {longest} buckets in a row without a byte")


def require_frozen(result, phase, host):
    part = host_of(phase, host.address)
    require((FAULT_S - 1) * 10**9 < part["frozen_ns"] < (FAULT_S + 2) * 10**9,
            f"frozen for {part['frozen_ns']} ns")
    first = (part["frozen_from_ns"] - phase["start_ns"]) // phase["bucket_ns"]
    last = first + part["frozen_ns"] // phase["bucket_ns"]
    empty = set(empty_buckets(result, phase, host))
    busy = [bucket for bucket in range(first + 3, last - 3) if bucket not in empty]
    require(not busy, f"frozen in buckets {first} to {last}, and yet {busy} have bytes")

"""Faults shorter than dead_after: a link that is down for 5 s loses nothing; a host that stands
still for 5 s has done less, which is said with from and to; the third goes on as if nothing had
been."""

import signal
import time

from disks import xfs_disk
from hosts import Fleet
from lab import require
from plans import fleet_plan
from results import Result, host_of
from spools import Spool

FAULT_S = 5


def test(lab):
    fleet = Fleet(lab, 3)
    for number, host in enumerate(fleet.hosts):
        host.start_agent(xfs_disk(lab, f"disk{number}"))
    cut, frozen, fine = fleet.hosts
    phases = [{"name": "write", "op": "write", "targets": ["disk"], "runtime": "14s"}]
    plan = fleet_plan(fleet, "faults", phases, size="64MiB")
    program, directory = fleet.begin(plan)
    frozen.wait_for_load(program)
    time.sleep(1)
    cut.link("down")
    frozen.agent.signal(signal.SIGSTOP)
    time.sleep(FAULT_S)
    frozen.agent.signal(signal.SIGCONT)
    cut.link("up")
    done = program.wait(60).expect(3)

    result = Result(directory)
    result.require_sums()
    phase = result.phase("write")
    for host in fleet.hosts:
        part = host_of(phase, host.address)
        require(part["state"] == "complete", f"{host.address}: {part['state']}, {part['text']}")
        require(not Spool(lab, host).runs(), f"{host.address} keeps {Spool(lab, host).runs()}")
    of = {finding["code"]: finding for finding in result.run["findings"]
          if finding["level"] in ("INVALID", "WARN") and finding["code"] != "SUM_OF_AVERAGES_GAP"}
    require(of["HOST_FROZEN"]["host"] == frozen.address, f"{of}")
    require("LATE_HEARTBEAT" in of and of["LATE_HEARTBEAT"]["host"] == cut.address, f"{of}")
    require("degraded" in done.stdout and " into the run" in done.stdout, done.stdout)
    require_no_gap(result, phase, cut)
    require_no_gap(result, phase, fine)
    require_frozen(result, phase, frozen)


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

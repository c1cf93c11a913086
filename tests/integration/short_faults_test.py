"""Faults shorter than dead_after, at its default of 10 s: a link that is down for 5 s loses nothing, nor
one that loses what the host sends; a host that stands still for 5 s has done less, which is said with
from and to; the fourth goes on as if nothing had been."""

import re
import signal
import time

from faults import four_hosts, require_as_before, require_found, sound_result
from lab import require
from plans import fleet_plan
from results import host_of
from spools import Spool

FAULT_S = 5


def test(lab):
    fleet = four_hosts(lab)
    cut, mute, frozen, fine = fleet.hosts
    phases = [{"name": "write", "op": "write", "targets": ["disk"], "runtime": "14s"}]
    plan = fleet_plan(fleet, "faults", phases, size="64MiB")
    program, directory = fleet.begin(plan)
    frozen.wait_for_load(program)
    time.sleep(1)
    link, route = f"link set p{cut.number}", f"blackhole {fleet.controller_address}/32"
    faults = [for_a_while(lab, fleet.bridge, f"{link} down", f"{link} up"),
              for_a_while(lab, mute.namespace, f"route add {route}", f"route del {route}")]
    stopped = time.monotonic()
    frozen.agent.signal(signal.SIGSTOP)
    time.sleep(FAULT_S)
    frozen.agent.signal(signal.SIGCONT)
    frozen_s = time.monotonic() - stopped
    for fault in faults:
        fault.wait(30).expect(0)
    done = program.wait(60).expect(3)

    result = sound_result(fleet, directory)
    phase = result.phase("write")
    for host in fleet.hosts:
        part = host_of(phase, host.address)
        require(part["state"] == "complete", f"{host.address}: {part['state']}, {part['text']}")
        require(not Spool(lab, host).runs(), f"{host.address} keeps {Spool(lab, host).runs()}")
    require_found(result, "HOST_FROZEN", [frozen])
    require_found(result, "LATE_HEARTBEAT", [cut, mute])
    require_found(result, "HOST_LOST", [])
    require_said(done, phase, frozen)
    for host in (cut, mute, fine):
        result.require_no_gap(phase, host.address)
    require_frozen(result, phase, frozen, frozen_s)
    require_as_before(fleet)


def for_a_while(lab, namespace, begin, end):
    """Each by itself, so that none lasts for what the others take: TCP tries again after 6.2 s, and then
    after 12.6, by when the host is lost."""
    return lab.start("fault", ["sh", "-c", f"ip {begin} && sleep {FAULT_S} && ip {end}"], namespace)


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


def require_frozen(result, phase, host, frozen_s):
    part = host_of(phase, host.address)
    require((FAULT_S - 1) * 10**9 < part["frozen_ns"] < (frozen_s + 2) * 10**9,
            f"frozen for {part['frozen_ns']} ns, which were {frozen_s:.1f} s")
    first = (part["frozen_from_ns"] - phase["start_ns"]) // phase["bucket_ns"]
    last = first + part["frozen_ns"] // phase["bucket_ns"]
    empty = set(result.empty_buckets(phase, host.address))
    busy = [bucket for bucket in range(first + 3, last - 3) if bucket not in empty]
    require(not busy, f"frozen in buckets {first} to {last}, and yet {busy} have bytes")

"""UDP is blocked in mid-run on one host: its exchange goes on over ZeroMQ, the bound stays true,
nothing stops; forged and replayed datagrams meanwhile have no effect."""

import time

from clocks import Clock
from disks import xfs_disk
from hosts import PORT, Fleet, ip
from lab import require
from plans import fleet_plan
from results import Result

RUNTIME_S = 14


def test(lab):
    fleet = Fleet(lab, 2)
    disks = [xfs_disk(lab, f"disk{number}") for number in (1, 2)]
    clocks = [Clock(host, 1000 * number, drift_ppb=100_000).start_agent(disk)
              for number, (host, disk) in enumerate(zip(fleet.hosts, disks), 1)]
    phases = [{"name": "write", "op": "write", "targets": ["disk"], "runtime": f"{RUNTIME_S}s"}]
    program, directory = fleet.begin(fleet_plan(fleet, "fallback", phases, size="32MiB"))
    fleet.hosts[1].wait_for_load(program)
    garbage = send_garbage(lab, fleet)
    time.sleep(2)
    block_udp(lab, fleet.hosts[1])
    program.wait(60).expect(0)
    garbage.wait(60).expect(0)
    result = Result(directory)
    result.require_sums()
    for clock in clocks:
        clock.require_true(directory)
    open_one, blocked = (host["clock"] for host in result.run["hosts"])
    require(open_one["zeromq"] == 0, f"the open host: {open_one}")
    require(blocked["zeromq"] >= 10, f"the blocked host did not fall back: {blocked}")
    print(f"open: {open_one}\nblocked: {blocked}")


def block_udp(lab, host):
    """What the host sends over UDP is dropped in its own kernel."""
    ip(lab, host.namespace, "xfrm", "policy", "add", "src", "0.0.0.0/0", "dst", "0.0.0.0/0",
       "proto", "udp", "dir", "out", "action", "block")


def send_garbage(lab, fleet):
    """To each agent's clock port, from the controller's side."""
    program = f"""
import random, socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for n in range(2000):
    for host in sys.argv[1:]:
        data = random.randbytes(80 if n & 1 else random.randrange(200))
        s.sendto(b"MCK1" + data[4:] if n & 3 == 1 else data, (host, {PORT}))
"""
    return lab.start("garbage", ["python3", "-c", program, *(host.address for host in fleet.hosts)],
                     fleet.controller)

"""Whatever comes in on the port: the agent drops it, lives on and does its work."""

import os
import random

from disks import xfs_disk
from hosts import Fleet
from lab import require
from plans import fleet_plan

# A ZMTP 3.0 greeting with the NULL mechanism, so that what follows gets past the door.
GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00NULL" + bytes(16) + bytes(32)
READY = b"\x04\x19\x05READY\x0bSocket-Type\x00\x00\x00\x06ROUTER"
SEND = """
import socket, sys
data = sys.stdin.buffer.read()
peer = socket.create_connection((sys.argv[1], 7411), 5)
peer.settimeout(0.3)
try:
    peer.sendall(data)
    peer.recv(4096)
except OSError:
    pass
"""


def frame(body, more=False):
    size = len(body).to_bytes(8, "big")
    return bytes([0x02 | more]) + size + body


def floods():
    chance = random.Random(7411)
    yield b""
    yield b"GET / HTTP/1.0\r\n\r\n"
    yield os.urandom(65536)
    yield GREETING[:20]
    yield GREETING + READY + bytes([0x02]) + (1 << 62).to_bytes(8, "big")
    yield GREETING + READY + frame(b"\xdd\xff\x00\x00\x00")
    yield GREETING + READY + frame(b"x", more=True) * 100 + frame(b"y")
    for size in (0, 1, 17, 300, 70000):
        yield GREETING + READY + b"".join(frame(chance.randbytes(size)) for _ in range(20))


def test(lab):
    fleet = Fleet(lab, 1)
    host = fleet.hosts[0]
    host.start_agent(xfs_disk(lab, "disk"))
    for number, data in enumerate(floods()):
        path = lab.directory / f"flood-{number}"
        path.write_bytes(data)
        command = ["sh", "-c", 'exec python3 -c "$1" "$2" <"$3"', "sh", SEND, host.address, path]
        lab.start("stranger", command, fleet.controller).wait(20)
        require(host.agent.is_running(), f"the agent did not survive {data[:40]!r}")
    phases = [{"name": "write", "op": "write", "targets": ["disk"], "size": "16MiB"}]
    done, _ = fleet.run(fleet_plan(fleet, "after", phases))
    done.expect(0)

"""Strangers who open connections to one of four agents, send garbage and knock with wrong keys, all at
once, while a phase runs: the phase is what it would have been, and the agent's log stays short."""

from faults import four_hosts, require_as_before, require_goes_on, sound_result
from lab import require
from plans import fleet_plan

SECONDS = 6
# Until it is ended: 400 connections that say nothing or half of something, and as many as go that
# send garbage and are gone.
FLOOD = """
import os, socket, sys, time
chance = os.urandom(65536)
greeting = b"\\xff" + bytes(8) + b"\\x7f\\x03\\x00CURVE" + bytes(15) + bytes(32)
texts = [chance, greeting, greeting + chance, greeting + b"\\x04\\xc8\\x05HELLO" + chance[:300],
         b"GET / HTTP/1.0\\r\\n\\r\\n", b""]
idle, sent = [], 0
print("flooding", flush=True)
while True:
    try:
        peer = socket.create_connection((sys.argv[1], 7411), 2)
        peer.setblocking(False)
        peer.send(texts[sent % len(texts)])
    except OSError:
        time.sleep(0.001)
        continue
    finally:
        sent += 1
    if sent % 2 and len(idle) < 400:
        idle.append(peer)
    else:
        peer.close()
    if sent % 100 == 0:
        print(sent, flush=True)
        time.sleep(0.02)
"""


def test(lab):
    fleet = four_hosts(lab)
    host = fleet.hosts[0]
    agent = host.agent
    lab.call(lab.build / "muster", "keygen", "stranger")
    phases = [{"name": "read", "op": "read", "targets": ["disk"], "runtime": f"{SECONDS}s"}]
    program, directory = fleet.begin(fleet_plan(fleet, "flooded", phases))
    host.wait_for_load(program)
    floods = [lab.start("flood", ["python3", "-c", FLOOD, host.address], fleet.controller)
              for _ in range(2)]
    knocks = fleet_plan(fleet, "knock", phases)
    refused = 0
    while program.is_running():
        stranger = lab.muster("fleet", knocks, "--key", "stranger", namespace=fleet.controller)
        stranger.wait(30).expect(6)
        refused += 1
    program.wait(60).expect(0)
    result = sound_result(fleet, directory)
    phase = result.phase("read")
    require(phase["cluster"] is not None, "the phase has no cluster figure")
    require_goes_on(result, phase, fleet.hosts, "complete")
    require(not result.codes("INVALID"), f"findings: {result.codes('INVALID')}")
    require(agent.is_running() and refused > 0, "nobody knocked")
    sent = sum(int(flood.output()[0].split()[-1]) for flood in floods)
    require(sent > 200, f"only {sent} connections were opened")
    # Each kind of line once a second.
    lines = len(agent.output()[1].splitlines())
    require(lines < 20 + 4 * (program.wait(1).seconds + 5),
            f"the agent wrote {lines} lines for {sent} connections and {refused} knocks")
    for flood in floods:
        flood.end()
    require_as_before(fleet)
    print(f"{sent} connections, {refused} knocks, {lines} lines of log")

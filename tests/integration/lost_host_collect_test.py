"""Hosts that a run has lost, of four: the link of one down for good, the agent of another restarted in
mid-phase, a third stopped for good. All are told apart and bounded, also for whoever asks later;
what they had measured is collected when they are back, and nothing that came is lost for a file that has
less."""

import signal
import time

from faults import (AGAIN, four_hosts, kept_bytes, require_as_before, require_found, require_goes_on,
                    require_missing, sound_result, wait_until_kept)
from lab import require, wait_for
from plans import fleet_plan
from results import Result, host_of, moved_by
from spools import Spool

DEAD_AFTER_S = 3
LIMITS = {"suspect_after": "1s", "dead_after": f"{DEAD_AFTER_S}s", "on_host_loss": "continue"}
# By number of the host; why the restarted one is silent is chance.
WHY = {0: "the network does not reach it", 2: "the agent is stopped or stuck"}


def test(lab):
    fleet = four_hosts(lab)
    cut, killed, stopped, fine = fleet.hosts
    phases = [{"name": "write", "op": "write", "targets": ["disk"], "runtime": "7s"}]
    program, directory = fleet.begin(fleet_plan(fleet, "lost", phases, settings=LIMITS,
                                                size="64MiB"))
    began = killed.wait_for_load(program)
    wait_until_kept((cut, killed, stopped))
    time.sleep(1)
    cut.link("down")
    stopped.agent.signal(signal.SIGSTOP)
    killed.agent.signal(signal.SIGKILL)
    fault = time.monotonic()
    killed.agent.wait(5)
    killed.start_agent(killed.disk)
    require(cut.last_move(30) - fault <= DEAD_AFTER_S + 2, "the load goes on without controller")
    program.wait(60).expect(3)
    require(time.monotonic() - began < 7 + DEAD_AFTER_S + 5, "the run does not end")
    before = sound_result(fleet, directory)
    require_missing(before, before.phase("write"), [cut, killed, stopped])
    require_goes_on(before, before.phase("write"), [fine], "complete")
    require((directory / "journal.bin").exists(), "nothing to collect with is left")
    for host, words in WHY.items():
        part = host_of(before.phase("write"), fleet.hosts[host].address)
        require(part["state"] == "lost" and words in part["text"],
                f"{part['host']}: {part['state']}, {part['text']}")
    require_told(fleet)
    kept = {host.address: kept_bytes(host) for host in (cut, killed)}
    require(kept[cut.address][1] and not kept[killed.address][1], f"ends: {kept}")
    require(not Spool(lab, fine).runs(), "what the controller has is kept")

    # As when its machine lost power before the file was synced.
    files = Spool(lab, killed).phases(Spool(lab, killed).runs()[0])
    whole = files[-1].read_bytes()
    files[-1].write_bytes(b"")
    # Two are still away: it is told, and waits.
    first = fleet.muster("collect", directory).wait(60).expect(3)
    require(first.seconds < 20, f"it took {first.seconds:.1f} s")
    result = sound_result(fleet, directory)
    require_found(result, "NOT_COLLECTED", [cut, stopped, killed])
    heard, stands = (moved_by(found.phase("write"), killed.address, "bytes")
                     for found in (before, result))
    require(heard and stands == heard, f"{heard} bytes had come of the killed one, {stands} stand")
    files[-1].write_bytes(whole + b"torn record")
    cut.link("up")
    stopped.agent.signal(signal.SIGCONT)
    wait_for(lambda: "released" in stopped.agent.output()[1], 10, "the stopped one is free")
    kept[stopped.address] = kept_bytes(stopped)
    fleet.muster("collect", directory).wait(60).expect(3)
    result = sound_result(fleet, directory)
    require_found(result, "NOT_COLLECTED", [killed])
    require(files[-1].exists() and not Spool(lab, cut).runs(), "what is damaged stays, and only that")
    require_collected(result, cut, "aborted", kept)
    require_collected(result, stopped, "aborted", kept)
    require_collected(result, killed, "lost", kept)
    for target, old in zip(host_of(result.phase("write"), fine.address)["targets"],
                           host_of(before.phase("write"), fine.address)["targets"]):
        # Instants may move by ns: the journal has no exchanges after the phase.
        for key in ("bytes", "operations", "ramp_bytes", "latency_ns", "passes"):
            require(target[key] == old[key], f"the third's {key}: {target[key]}, was {old[key]}")
    files[-1].write_bytes(whole)
    fleet.muster("collect", directory).wait(60).expect(3)
    require("NOT_COLLECTED" not in Result(directory).codes(), "it is not taken once more")
    require_as_before(fleet)


def require_told(fleet):
    """Whoever asks hosts that are away is told in 10 s, and why; both at once, to save the time."""
    # The second names those alone: who finds one held does not wait for others.
    away = fleet_plan(fleet, "away", AGAIN, "16MiB", hosts=[fleet.hosts[host] for host in WHY])
    asked = [fleet.muster("fleet", fleet.lab.directory / "lost.yaml"), fleet.muster("run", away)]
    for program in asked:
        done = program.wait(30).expect(6)
        require(done.seconds < 10.3 + 2, f"it took {done.seconds:.1f} s: {done.command}")
        for host, words in WHY.items():
            require(fleet.hosts[host].address in done.text and words in done.text,
                    f"'{words}' is not said:\n{done.text}")


def require_collected(result, host, state, kept):
    phase = result.phase("write")
    part = host_of(phase, host.address)
    require(part["state"] == state, f"{host.address} is {part['state']}: {part['text']}")
    moved = moved_by(phase, host.address, "bytes")
    require(moved == kept[host.address][0],
            f"{host.address}: collected {moved}, measured {kept[host.address][0]}")
    said = [finding for finding in result.run["findings"]
            if finding["code"] == "COLLECTED" and finding["host"] == host.address]
    require(said, f"that it was collected is not said of {host.address}")

"""A file system that hangs while an agent makes its file there (frozen, as by fsfreeze): the run ends
in time and says what hangs; who asks meanwhile is told; and the agent is free when it goes on."""

from faults import four_hosts, require_as_before, require_found, sound_result
from lab import require, require_tools, wait_for
from plans import fleet_plan
from results import host_of

DEAD_AFTER_S = 3
IO_TIMEOUT_S = 2


def test(lab):
    require_tools("fsfreeze")
    fleet = four_hosts(lab)
    hung, *others = fleet.hosts
    # Who waits in a frozen file system cannot be ended by any signal.
    thaw = lambda: lab.call("sh", "-c", f"fsfreeze -u {hung.disk.mount} || true")
    ends = lab.end_programs
    lab.end_programs = lambda: (thaw(), ends())
    phases = [{"name": "write", "op": "write", "targets": ["disk"], "size": "16MiB"}]
    plan = fleet_plan(fleet, "hung", phases, io_timeout=f"{IO_TIMEOUT_S}s", size="16MiB",
                      settings={"suspect_after": "2s", "dead_after": f"{DEAD_AFTER_S}s"})
    lab.call("fsfreeze", "-f", hung.disk.mount)
    done, directory = fleet.run(plan, 30)
    done.expect(3)
    require(done.seconds < IO_TIMEOUT_S + 5, f"it took {done.seconds:.1f} s to say so")
    result = sound_result(fleet, directory)
    require_found(result, "HOST_LOST", [hung])
    text = host_of(result.phase("write"), hung.address)["text"]
    for words in ("I/O is stuck", "opening or looking at target 'disk'", "io_timeout is 2.000 s"):
        require(words in text and words in hung.agent.output()[1], f"'{words}' is not said: {text}")
    require_found(result, "LATE_HEARTBEAT", [])
    for host in others:
        require(host.disk.files() == [], f"files are left: {host.disk.files()}")

    # The lease goes when the controller has been silent, the open() does not.
    ask(fleet, plan, hung, "I/O is stuck")
    wait_for(lambda: "freeing the lease" in hung.agent.output()[1], DEAD_AFTER_S + 3, "the end")
    ask(fleet, plan, hung, "has not come back from opening or preparing target 'disk'")
    thaw()
    wait_for(lambda: "released" in hung.agent.output()[1], 10, "the agent is free again")
    require(hung.disk.files() == [], f"files are left: {hung.disk.files()}")
    require_as_before(fleet)


def ask(fleet, plan, hung, words):
    for command in ("fleet", "run"):
        done = fleet.muster(command, plan).wait(20).expect(6)
        require(words in done.stderr and hung.address in done.stderr,
                f"{command}: '{words}' is not said:\n{done.stderr}")
        require(done.seconds < 5, f"{command} took {done.seconds:.1f} s")

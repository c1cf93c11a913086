"""Who may talk to whom beyond the loopback: right keys pass; every other pair is told why on both
sides, at once and once, and nothing is started on any of the four hosts; without keys it has to be
typed on both sides and stands in the result."""

import os
import time

from faults import (disk_writes, four_hosts, hosts_named, require_as_before, require_untouched,
                    sound_result)
from hosts import CONTROLLER_KEY, PORT
from lab import require, wait_for
from plans import fleet_plan, write_plan

PHASES = [{"name": "write", "op": "write", "targets": ["disk"], "size": "16MiB"}]
# Until both sides have said it.
SAID_S = 3


def test(lab):
    fleet = four_hosts(lab)
    right(fleet)
    lab.call(lab.build / "muster", "keygen", "stranger")
    expect_no(fleet, "unknown", ["--key", "stranger"], ["does not let this controller in"],
              "is not let in", fleet.hosts)
    for host in fleet.hosts:
        require(fleet.controller_address in host.agent.output()[1], "it does not say who it was")
    expect_no(fleet, "plain", ["--insecure"],
              ["its agent asks for keys", "it asks for keys"], "comes without keys (--insecure)",
              fleet.hosts)
    usage(fleet)
    one_is_wrong(fleet)
    require_as_before(fleet)
    refused_agents(fleet)
    insecure(fleet)
    loopback(fleet)


def begin(fleet, name, words):
    """A run with these words for its keys, and where its result would be."""
    directory = fleet.lab.directory / f"run-{name}"
    plan = fleet_plan(fleet, name, PHASES)
    return fleet.lab.muster("run", plan, "--out", directory, *words,
                            namespace=fleet.controller), directory


def run(fleet, name, words):
    program, directory = begin(fleet, name, words)
    return program.wait(60), directory


def expect_no(fleet, name, words, here, there, wrong, away=()):
    """Exit 6, `here` in the controller's words, `there` in the log of each agent that is wrong, once,
    soon; nothing of the others, and nothing is started."""
    before = disk_writes(fleet.hosts)
    told = {host: host.agent.output()[1].count(there) for host in wrong}
    program, directory = begin(fleet, name, words)
    done = program.wait(60).expect(6)
    require(done.seconds < SAID_S, f"{name}: it took {done.seconds:.1f} s to say so")
    for host in wrong:
        left = max(0, program.began + SAID_S - time.monotonic())
        wait_for(lambda host=host: host.agent.output()[1].count(there) > told[host], left,
                 f"{name}: the agent of {host.address} says '{there}'")
        lines = host.agent.output()[1].count(there) - told[host]
        require(lines <= 4, f"{name}: the agent said it {lines} times")
    # Who ends the connection first is chance: the other side may only see that it was ended.
    require(any(words in done.stderr for words in here), f"not said: {here}\n{done.stderr}")
    require(hosts_named(done.stderr) == {host.address for host in [*wrong, *away]},
            f"{name}: which hosts is not said: {hosts_named(done.stderr)}\n{done.stderr}")
    require(not directory.exists(), f"{name}: a run directory is left")
    require_untouched(before)


def no_secrets_in(fleet):
    """Nothing of a secret is in argv or environment."""
    secret = (fleet.lab.directory / "keys" / f"{CONTROLLER_KEY}.secret").read_text()
    digits = [line.split()[1] for line in secret.splitlines() if line.startswith("secret")][0]
    for pid in fleet.lab.processes():
        for what in ("cmdline", "environ"):
            with open(f"/proc/{pid}/{what}", "rb") as file:
                require(digits.encode() not in file.read(), f"the secret is in {what} of {pid}")


def right(fleet):
    done, directory = fleet.run(fleet_plan(fleet, "right", PHASES))
    done.expect(0)
    result = sound_result(fleet, directory).run
    require(not result["insecure"], "marked as insecure")
    for host, part in zip(fleet.hosts, result["hosts"]):
        public = (fleet.lab.directory / "keys" / f"{host.address}.key").read_text().split()[-1]
        require(part["key"] == public and not part["insecure"],
                f"the key of {host.address} is not in the result: {part}")
    require("INSECURE" not in done.stdout, done.stdout)
    no_secrets_in(fleet)


def one_is_wrong(fleet):
    """Each way in which one host of four can be: the three do not begin without it."""
    host, away = fleet.hosts[1], fleet.hosts[2]
    words = ["--key", CONTROLLER_KEY]
    # It has another key than its .key file says.
    with_agent(host, key="stranger")
    other = (["does not have the key that is expected of it"],
             "expects another key of this agent", [host])
    expect_no(fleet, "other", words, *other)
    # A host that is away is waited for much longer, and not then.
    away.link("down")
    expect_no(fleet, "other-away", words, *other, [away])
    away.link("up")
    with_agent(host, controllers=["stranger"])
    expect_no(fleet, "not-listed", words, ["does not let this controller in"], "is not let in",
              [host])
    with_agent(host, secure=False)
    expect_no(fleet, "keys-to-plain", words,
              ["its agent speaks without keys", "does not have the key that is expected of it"],
              "wants keys and this agent has none", [host])
    with_agent(host)


def with_agent(host, **how):
    host.agent.end()
    host.start_agent(host.disk, **how)


def usage(fleet):
    """What is known without asking anybody is exit 2."""
    keys = fleet.lab.directory / "keys"
    done, _ = run(fleet, "none", [])
    done.expect(2)
    require("muster keygen NAME" in done.stderr, done.stderr)
    done, _ = run(fleet, "both", ["--insecure", "--key", CONTROLLER_KEY])
    done.expect(2)
    os.chmod(keys / "stranger.secret", 0o640)
    done, _ = run(fleet, "loose", ["--key", "stranger"])
    done.expect(2)
    require(f"chmod 600 '{keys}/stranger.secret'" in done.stderr, done.stderr)
    os.chmod(keys / "stranger.secret", 0o600)


def refused_agents(fleet):
    """An agent does not begin to listen when its own side is wrong."""
    lab, host = fleet.lab, fleet.hosts[0]
    host.agent.end()
    listen = f"listen: tcp://{host.address}:{PORT}\nspool: {lab.directory}/spool-x\n"
    rows = [
        ("nothing", "", [], "names no keys"),
        ("both", f"key: {host.address}\ncontrollers: [{CONTROLLER_KEY}]\n", ["--insecure"],
         "leave one of them away"),
        ("alone", f"key: {host.address}\n", [], "lets nobody in"),
        ("keyless", f"controllers: [{CONTROLLER_KEY}]\n", [], "needs 'key' beside it"),
        ("missing", f"key: nobody\ncontrollers: [{CONTROLLER_KEY}]\n", [], "nobody.secret"),
        ("secret", f"key: {host.address}\n"
         f"controllers: [{lab.directory}/keys/{CONTROLLER_KEY}.secret]\n", [],
         "is a secret key, and a public one is wanted"),
    ]
    for name, text, words, want in rows:
        config = lab.directory / f"refused-{name}.yaml"
        config.write_text(listen + text)
        done = lab.start("agent", [lab.build / "muster-agent", "--config", config, *words],
                         host.namespace).wait(20)
        done.expect(2)
        require(want in done.stderr, f"{name}: not said: {want}\n{done.stderr}")


def insecure(fleet):
    for host in fleet.hosts:
        with_agent(host, secure=False)
    done, directory = run(fleet, "typed", ["--insecure"])
    done.expect(0)
    result = sound_result(fleet, directory).run
    require(result["insecure"] and all(host["insecure"] for host in result["hosts"]),
            "not marked as insecure")
    require("spoken to without keys" in done.stdout, f"the report does not say it:\n{done.stdout}")


def loopback(fleet):
    """Nobody typed --insecure there: what makes the keys be used is said."""
    lab, name = fleet.lab, fleet.hosts[0].address
    config = lab.directory / "loopback.yaml"
    config.write_text(f"listen: tcp://127.0.0.1:*\nspool: {lab.directory}/spool-loopback\n"
                      f"key: {name}\ncontrollers: [{CONTROLLER_KEY}]\n")
    agent = lab.start("agent", [lab.build / "muster-agent", "--config", config])
    wait_for(lambda: "listening" in agent.output()[0], 20, "the agent on the loopback listens")
    port = int(agent.output()[0].strip().rsplit(":", 1)[1])

    def fleet_of(*words, **key):
        return lab.muster("fleet", write_plan(
            lab, "loopback", [{"host": "127.0.0.1", "port": port, **key}],
            {"nothing": {"null": True, "size": "1MiB"}},
            [{"name": "p", "op": "write", "targets": ["nothing"], "size": "1MiB"}],
            {"key": CONTROLLER_KEY}), *words).wait(60)

    done = fleet_of().expect(6)
    require("give its entry of fleet.agents a `key`" in done.stderr and
            "--insecure" not in done.stderr, done.stderr)
    fleet_of(key=name).expect(0)
    fleet_of("--key", CONTROLLER_KEY, key=name).expect(0)
    done = fleet_of("--key", CONTROLLER_KEY).expect(2)
    require("would be used for no host of this plan" in done.stderr, done.stderr)
    agent.end()

"""Who may talk to whom beyond the loopback: right keys pass; every other pair is told why on both
sides, at once and once; without keys it has to be typed on both sides and stands in the result."""

import os

from disks import xfs_disk
from hosts import CONTROLLER_KEY, PORT, Fleet
from lab import require, wait_for
from plans import fleet_plan
from results import Result

PHASES = [{"name": "write", "op": "write", "targets": ["disk"], "size": "16MiB"}]


def run(fleet, name, words):
    """A run with these words for its keys; answers what it did and where."""
    directory = fleet.lab.directory / f"run-{name}"
    plan = fleet_plan(fleet, name, PHASES)
    program = fleet.lab.muster("run", plan, "--out", directory, *words,
                               namespace=fleet.controller)
    return program.wait(60), directory


def expect_no(fleet, name, words, here, there, bound=5):
    """Exit 6, `here` in the controller's words, `there` in the agent's log, each once, soon."""
    agent = fleet.hosts[0].agent
    done, directory = run(fleet, name, words)
    done.expect(6)
    # Who ends the connection first is chance: the other side may only see that it was ended.
    said = [words for words in here if words in done.stderr]
    require(said and fleet.hosts[0].address in done.stderr,
            f"{name}: not said: {here}\n{done.stderr}")
    require(done.seconds < bound, f"{name}: it took {done.seconds:.1f} s to say so")
    wait_for(lambda: there in agent.output()[1], 5, f"{name}: the agent says '{there}'")
    lines = agent.output()[1].count(there)
    require(lines <= 4, f"{name}: the agent said it {lines} times")
    require(not directory.exists(), f"{name}: a run directory is left")


def no_secrets_in(fleet):
    """Nothing of a secret is in argv or environment."""
    secret = (fleet.lab.directory / "keys" / f"{CONTROLLER_KEY}.secret").read_text()
    digits = [line.split()[1] for line in secret.splitlines() if line.startswith("secret")][0]
    for pid in fleet.lab.processes():
        for what in ("cmdline", "environ"):
            with open(f"/proc/{pid}/{what}", "rb") as file:
                require(digits.encode() not in file.read(), f"the secret is in {what} of {pid}")


def secured(fleet, disk):
    host = fleet.hosts[0]
    agent = host.start_agent(disk)
    done, directory = fleet.run(fleet_plan(fleet, "right", PHASES))
    done.expect(0)
    result = Result(directory).run
    require(not result["insecure"] and not result["hosts"][0]["insecure"], "marked as insecure")
    public = (fleet.lab.directory / "keys" / f"{host.address}.key").read_text().split()[-1]
    require(result["hosts"][0]["key"] == public, "the agent's key is not in the result")
    require("INSECURE" not in done.stdout, done.stdout)
    no_secrets_in(fleet)

    fleet.lab.call(fleet.lab.build / "muster", "keygen", "stranger")
    expect_no(fleet, "unknown", ["--key", "stranger"], ["does not let this controller in"],
              "is not let in")
    require(fleet.controller_address in agent.output()[1], "the agent does not say who it was")
    expect_no(fleet, "plain", ["--insecure"],
              ["its agent asks for keys", "it asks for keys"], "comes without keys (--insecure)")
    usage(fleet)
    agent.end()

    # The host has another key than its .key file says.
    agent = host.start_agent(disk, key="stranger")
    expect_no(fleet, "other", ["--key", CONTROLLER_KEY],
              ["does not have the key that is expected of it"], "expects another key of this agent")
    agent.end()


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


def insecure(fleet, disk):
    host = fleet.hosts[0]
    agent = host.start_agent(disk, secure=False)
    expect_no(fleet, "keys-to-plain", ["--key", CONTROLLER_KEY],
              ["its agent speaks without keys", "does not have the key that is expected of it"],
              "wants keys and this agent has none")
    done, directory = run(fleet, "typed", ["--insecure"])
    done.expect(0)
    result = Result(directory).run
    require(result["insecure"] and result["hosts"][0]["insecure"], "not marked as insecure")
    require("spoken to without keys" in done.stdout, f"the report does not say it:\n{done.stdout}")
    agent.end()


def test(lab):
    fleet = Fleet(lab, 1)
    disk = xfs_disk(lab, "disk")
    secured(fleet, disk)
    refused_agents(fleet)
    insecure(fleet, disk)

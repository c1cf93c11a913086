"""The command lines of both programs: what is not taken is said, never passed over."""

import os
import signal
import subprocess

from lab import require, wait_for
from plans import flow, write_plan

TAKEN = ["--help", "run --help", "-h", "--version", "-V", "explain", "explain IO_ERRORS",
         "help", "help run", "judge x y --help",
         "explain --quiet io_errors --verbose"]

REFUSED = [
    ("", "a command is missing: run, check"),
    ("chek plan.yaml", "'chek' is no command; wanted is run, check, fleet, collect, report, "
                       "explain, verify, keygen, judge or help; nearest is 'check'"),
    ("frob", "'frob' is no command; wanted is"),
    ("run", "'run' takes one plan, got 0"),
    ("check a b", "'check' takes one plan, got 2"),
    ("explain a b", "'explain' takes one code or none, got 2"),
    ("keygen", "'keygen' takes one name or more, got 0"),
    ("run --resume", "'run --resume' takes one run directory, got 0"),
    ("run p --set a", "--set 'a' has no '='"),
    ("run p --out", "'--out' needs a value"),
    ("run p -o", "'-o' needs a value"),
    ("run p --sett a=1", "unknown option '--sett'; nearest is '--set'"),
    ("run p --s a=1", "unknown option '--s'; see"),
    ("run p --se a=1", "unknown option '--se'; nearest is '--set'"),
    ("run p --se=a=1", "unknown option '--se'; nearest is '--set'"),
    ("run p --quie", "unknown option '--quie'; nearest is '--quiet'"),
    ("run p --frob=1", "unknown option '--frob'; see"),
    ("run p -xq", "unknown option '-x'; see"),
    ("run p --quiet=yes", "'--quiet' takes no value"),
    # Ones that exist, and that this command would have no use for.
    ("check p --out d", "'check' takes no --out"),
    ("run p --strict", "'run' takes no --strict"),
    ("run p --fleet", "'run' takes no --fleet"),
    ("run p --as json", "'run' takes no --as"),
    ("run p --resume --set a=1", "'run --resume' takes no --set"),
    ("run --resume r -o d", "'run --resume' takes no --out"),
    ("fleet p --sign-key k", "'fleet' takes no --sign-key"),
    ("collect r --set a=1", "'collect' takes no --set"),
    ("report r --baseline b", "'report' takes no --baseline"),
    ("judge f --sign-key k", "'judge' takes no --sign-key"),
    ("verify r --insecure", "'verify' takes no --insecure"),
    ("keygen --sign a --dir d", "'keygen --sign' takes no --dir"),
    ("keygen a --key k", "'keygen' takes no --key"),
    ("help frob", "'frob' is no command"),
    ("frob --help", "'frob' is no command"),
    ("help run check", "'help' takes one command or none, got 2"),
    ("explain --strict", "'explain' takes no --strict"),
]

REFUSED_BY_AGENT = [
    ("--lisen tcp://127.0.0.1:1", "unknown option '--lisen'; nearest is '--listen'"),
    ("--config", "'--config' needs a value"),
    ("--conf agent.yaml", "unknown option '--conf'"),
    ("-x", "unknown option '-x'; see muster-agent --help"),
    ("agent.yaml", "'agent.yaml' is not expected"),
    ("--listen tcp://127.0.0.1:99999", "--listen 'tcp://127.0.0.1:99999' is no endpoint"),
    ("--listen tcp://127.0.0.1:0", "with a port from 1 to 65535, or * for a free one"),
    ("--listen 127.0.0.1:7411", "write tcp://ADDRESS:PORT"),
]


def test(lab):
    for words in TAKEN:
        lab.muster(*words.split(), cwd=lab.directory).wait(20).expect(0)
    for words, says in REFUSED:
        require_refused(lab.muster(*words.split(), cwd=lab.directory), words, says)
    for words, says in REFUSED_BY_AGENT:
        agent = lab.start("agent", [lab.build / "muster-agent", *words.split()])
        require_refused(agent, words, says)


    names_of_keys(lab)
    help_of_a_command(lab)
    nobody_takes_it(lab)
    what_an_agent_lacks(lab)
    what_an_agent_is_named(lab)
    a_run_without_its_result(lab)
    pipes(lab)


def names_of_keys(lab):
    for words in (["keygen", "--sign", ""], ["keygen", ""], ["keygen", "--sign", ".hidden"]):
        require_refused(lab.muster(*words, cwd=lab.directory), words, "name")
    require(not list(lab.directory.glob(".*sign*")), "keys without a name are there")


def help_of_a_command(lab):
    """Its forms and options and no others; the same in each way that it is asked for."""
    def said(*words):
        return lab.muster(*words).wait(20).expect(0).stdout

    everything = said("help")
    require(everything == said("--help"), "`help` and --help differ")
    for command in ("run", "check", "fleet", "collect", "report", "explain", "verify", "keygen",
                    "judge", "help"):
        text = said("help", command)
        require(text == said(command, "--help"), f"`{command} --help` is not `help {command}`")
        require(text.startswith(f"usage: muster {command}"), text)
        strange = [line for line in text.splitlines()
                   if line and line not in everything.replace("usage: ", " " * 7).splitlines()
                   and not line.startswith("usage: ")]
        require(not strange, f"not of the whole text: {strange}")
    text = said("keygen", "--help")
    for words, is_there in (("muster keygen --sign NAME...", True), ("  --dir DIR ", True),
                            ("  --quiet ", True), ("  keygen --sign ", True),
                            ("muster run", False), ("  --out DIR ", False), ("exit:", False)):
        require((words in text) == is_there, f"'{words}' is {'' if is_there else 'not '}"
                                             f"wanted in:\n{text}")


    # Two options of one name: each command is told of its own.
    for command in ("run", "check", "fleet", "collect", "verify"):
        text = said("help", command)
        for words, is_there in (("this controller's secret key", command != "verify"),
                                ("the public key", command == "verify")):
            require((words in text) == is_there, f"help {command}: '{words}':\n{text}")


def nobody_takes_it(lab):
    """Every command that prints says when that went nowhere."""
    plan = write_plan(lab, "fine", [{"local": 1}], {"nothing": {"null": True, "size": "64MiB"}},
                      [{"name": "p", "op": "write", "targets": ["nothing"], "runtime": "1s"}])
    run = lab.directory / "run"
    lab.muster("run", plan, "--out", run).wait(60)
    for words in (("run", plan), ("fleet", plan), ("check", "--fleet", plan)):
        require_refused(lab.muster(*words, "--key", "nokey"), words,
                        "--key 'nokey' would be used for no host of this plan")
    keys = lab.directory / "keys"
    for program, *words in (("muster", "--help"), ("muster", "--version"), ("muster", "explain"),
                            ("muster", "explain", "IO_ERRORS"), ("muster", "check", plan),
                            ("muster", "report", run), ("muster", "report", run, "--as", "json"),
                            ("muster", "judge", run), ("muster", "verify", run),
                            ("muster", "fleet", plan), ("muster", "check", "--fleet", plan),
                            ("muster", "keygen", "a", "--dir", keys),
                            ("muster-agent", "--help"), ("muster-agent", "--version")):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([lab.build / program, *words], stdin=subprocess.DEVNULL,
                                  stdout=full, stderr=subprocess.PIPE, text=True, timeout=60,
                                  check=False, cwd=lab.directory, env=lab.environment())
        require(done.returncode == 6 and "cannot write to standard output" in done.stderr,
                f"{program} {words}: exit {done.returncode}:\n{done.stderr}")


def what_an_agent_lacks(lab):
    """What is allowed and not there, and a spool that was not there."""
    config, spool = lab.directory / "lacks.yaml", lab.directory / "spool"
    config.write_text(f"listen: tcp://127.0.0.1:*\nspool: {flow(spool)}\n"
                      f"allow_paths: {flow([lab.directory, lab.directory / 'missing'])}\n"
                      "allow_devices: [/dev/no-such-disk]\n")
    agent = lab.start("agent", [lab.build / "muster-agent", "--config", config])
    said = ("allow_paths: '" + str(lab.directory / "missing") + "' cannot be used so far",
            "allow_devices: '/dev/no-such-disk' cannot be used so far",
            f"made the spool directory '{spool}'")
    wait_for(lambda: all(words in agent.output()[1] for words in said), 20, "the agent says so")
    require(f"'{lab.directory}'" not in agent.output()[1], "what is there is warned of")
    agent.signal(signal.SIGTERM)
    agent.wait(20).expect(0)


def what_an_agent_is_named(lab):
    """Keys and a user that are not there: as its --help has it, and by which file."""
    config = lab.directory / "named.yaml"
    usage = lab.start("agent", [lab.build / "muster-agent", "--help"]).wait(20).stdout
    require("a key file or `user`\n     that it names is not there" in usage, usage)
    for text, says in (("key: absent\ncontrollers: [ops]\n", "this agent's key: '"),
                       ("user: no-such-user\n", "user: there is no user 'no-such-user'")):
        config.write_text("listen: tcp://127.0.0.1:*\n" + text)
        agent = lab.start("agent", [lab.build / "muster-agent", "--config", config])
        require_refused(agent, text, f"error: {config}: {says}")


def a_run_without_its_result(lab):
    """Who asks for the result of a run that was killed is told what makes one."""
    partial = lab.directory / "killed.partial"
    partial.mkdir()
    (partial / "journal.bin").write_bytes(b"")
    want = f"muster collect '{lab.directory}/killed'"
    for command, code in (("report", 2), ("judge", 2), ("verify", 6)):
        done = lab.muster(command, partial).wait(20).expect(code)
        require(want in done.stderr, f"{command}: {want} is not said:\n{done.stderr}")
    for command, code in (("report", 2), ("verify", 6)):
        done = lab.muster(command, lab.directory / "killed").wait(20).expect(code)
        require(want in done.stderr, f"{command} without .partial: {done.stderr}")
    (partial / "journal.bin").unlink()
    done = lab.muster("verify", partial).wait(20).expect(6)
    require("'MANIFEST.json': it is not there" in done.stderr, done.stderr)


def pipes(lab):
    """Nobody waits for ever for what nobody writes; a plan that is written into one is read."""
    directory, pipe = lab.directory / "piped", lab.directory / "piped" / "run.json"
    directory.mkdir()
    os.mkfifo(pipe)
    for words, says in ((("check", pipe), "is a pipe, and nobody has written into it for 5 s"),
                        (("judge", directory), "is no plain file"),
                        (("report", directory), "is no plain file")):
        require_refused(lab.muster(*words), words, says)
    plan = lab.directory / "fine.yaml"
    done = lab.start("sh", ["sh", "-c", f"cat '{plan}' | '{lab.build}/muster' check /dev/stdin"])
    require("fine: 1 phase" in done.wait(20).expect(0).stdout, "a plan through a pipe is not read")


def require_refused(program, words, says):
    done = program.wait(20).expect(2)
    require(says in done.stderr, f"'{words}': stderr does not say {says!r}:\n{done.stderr}")
    require(done.stdout == "", f"'{words}': stdout is not empty:\n{done.stdout}")

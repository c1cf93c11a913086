"""A faulty plan: exit 2 with file, line and column, without any network."""

from lab import Skip, require

GOOD = """\
name: good
fleet:
  agents:
    - {host: "store[01-04]"}
targets:
  disk: {path: /test, size: 1GiB}
phases:
  - {name: write, op: write, targets: [disk], runtime: 10s}
"""

# What is replaced, by what, and where the error has to be: line:column, and a word of the text.
BAD = [
    ("size: 1GiB", "size: 1GiBs", "6:29", "GiBs"),
    ("size: 1GiB", "size: 010", "6:29", "010"),
    ("size: 1GiB", "size: -1", "6:29", "-1"),
    ("op: write", "op: wipe", "8:23", "read"),
    ("op: write", "opp: write", "8:19", "op"),
    ("targets: [disk]", "targets: [dusk]", "8:40", "disk"),
    ("store[01-04]", "store[4-1]", "4:14", "store[4-1]"),
    (", runtime: 10s", "", "8:5", "runtime"),
    ("runtime: 10s", "size: 1MiB, ramp: 1s", "8:", "ramp"),
    ("{path: /test", "{path: /test, path: /two", "6:23", "path"),
    ("name: good", "name: [", "", "good.yaml"),
]


def test(lab):
    path = lab.directory / "good.yaml"
    path.write_text(GOOD)
    check(lab, path).expect(0)
    for old, new, place, word in BAD:
        require(GOOD.count(old) == 1, f"'{old}' stands there {GOOD.count(old)} times")
        path.write_text(GOOD.replace(old, new))
        for verb in ("check", "run"):
            done = check(lab, path, verb).expect(2)
            want = f"{path}:{place}" if place else str(path)
            require(any(line.startswith(want) and word in line
                        for line in done.stderr.splitlines()),
                    f"'{new}': no line starts with {want} and has '{word}':\n{done.text}")
            require(done.stdout == "", f"'{new}': stdout is not empty:\n{done.stdout}")
    path.write_text(GOOD.replace("1GiB", "1GiBs").replace("op: write", "op: wipe"))
    lines = check(lab, path).expect(2).stderr.splitlines()
    require(sum(line.startswith(str(path)) for line in lines) == 2,
            f"two errors are not told as two: {lines}")
    setting = check(lab, path, "check", "--set", "phases.write.op=read",
                    "--set", "targets.disk.size=2GiB")
    setting.expect(0)
    check(lab, lab.directory / "absent.yaml").expect(2)


def check(lab, path, verb="check", *arguments):
    """In a network namespace without so much as a loopback."""
    try:
        lab.call("unshare", "--net", "true")
    except AssertionError as reason:
        raise Skip(f"needs a network namespace: {reason}") from None
    command = ["unshare", "--net", lab.build / "muster", verb, path, *arguments]
    return lab.start(verb, command).wait(20)

"""What a run wrote can be shown to be unchanged, and survives a controller whose disk does not answer."""

import hashlib
import json
import os
import shutil
import time

from disks import xfs_disk
from lab import require, require_root, require_tools, wait_for
from plans import write_plan
from results import Result


def test(lab):
    require_root()
    require_tools("setpriv")
    targets = [f"n{number}" for number in range(5)]
    plan = write_plan(lab, "integrity", [{"local": 1}],
                      {name: {"null": True, "size": "64MiB"} for name in targets},
                      [{"name": "w", "op": "write", "targets": targets, "runtime": "2s",
                        "workers": 1}], bucket="10ms")
    for name in ("ops", "other"):
        lab.muster("keygen", "--sign", lab.directory / name).wait(20).expect(0)
    unsigned(lab, plan)
    signed(lab, plan)
    stalled_disk(lab)


def of_another_user(lab, directory):
    """A file that only its owner may read, as the journal of a run to be resumed: that is said, and not
    that it was changed. Root without its rights over files is such a user."""
    copy = lab.directory / "of-another"
    shutil.copytree(directory, copy)
    (copy / "clock.bin").chmod(0o600)
    os.chown(copy / "clock.bin", 65534, -1)
    done = lab.start("verify", ["setpriv", "--bounding-set", "-all", "--inh-caps", "-all",
                                lab.build / "muster", "verify", copy,
                                "--key", lab.directory / "ops.sign.pub"]).wait(20).expect(6)
    for words in ("clock.bin            UNREAD: Permission denied", "run.json             unchanged",
                  "signature            good"):
        require(words in done.text, f"'{words}' is not said:\n{done.text}")
    flip(copy)
    verify(lab, copy, 1, "CHANGED: other contents", key="ops")


def run(lab, plan, directory, code, *more, **how):
    return lab.muster("run", plan, "--out", directory, *more, **how).wait(60).expect(code)


def verify(lab, directory, code, *words, key=None):
    more = ["--key", lab.directory / f"{key}.sign.pub"] if key else []
    done = lab.muster("verify", directory, *more).wait(20).expect(code)
    for word in words:
        require(word in done.text, f"'{word}' is not said:\n{done.text}")


def unsigned(lab, plan):
    directory = lab.directory / "unsigned"
    done = run(lab, plan, directory, 0)
    require("not signed" in done.stderr, f"it is not said:\n{done.stderr}")
    Result(directory)
    verify(lab, directory, 4, "signature            none")
    verify(lab, directory, 1, "NONE", key="ops")


def signed(lab, plan):
    directory = lab.directory / "signed"
    run(lab, plan, directory, 0, "--sign-key", lab.directory / "ops.sign.key")
    Result(directory)
    verify(lab, directory, 0, "signature            good", key="ops")
    verify(lab, directory, 4, "not known here")
    verify(lab, directory, 1, "OTHER KEY", key="other")
    verify(lab, lab.directory / "absent", 6, "No such file")
    of_another_user(lab, directory)
    for number, (change, words) in enumerate(CHANGES):
        copy = lab.directory / f"changed-{number}"
        shutil.copytree(directory, copy)
        code = change(copy) or 1
        verify(lab, copy, code, *words, key="ops")


def flip(directory):
    path = directory / "run.json"
    text = bytearray(path.read_bytes())
    text[len(text) // 2] ^= 1
    path.write_bytes(text)


def shorten(directory):
    with open(directory / "timeline.csv", "rb+") as file:
        file.truncate(100)


def forge(directory):
    """A changed run.json with its digest put right in the manifest."""
    path, manifest = directory / "run.json", directory / "MANIFEST.json"
    path.write_text(path.read_text().replace("PASS", "FAIL"))
    known = json.loads(manifest.read_text())
    for file in known["files"]:
        if file["name"] == "run.json":
            file["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
            file["size_bytes"] = path.stat().st_size
    manifest.write_text(json.dumps(known))


def damage(directory):
    (directory / "MANIFEST.json").write_text('{"schema": ')
    return 2


def lose_manifest(directory):
    (directory / "MANIFEST.json").unlink()
    return 6


CHANGES = (
    (flip, ["run.json             CHANGED: other contents", "plan.yaml            unchanged"]),
    (shorten, ["timeline.csv         CHANGED: 100 bytes"]),
    (lambda at: (at / "plan.yaml").unlink(), ["plan.yaml            MISSING"]),
    (lambda at: (at / "more").write_text("x") and None, ["more                 EXTRA"]),
    (lambda at: (at / "b\x1b[2Ke\nx").write_text("x") and None, ["b?[2Ke?x             EXTRA"]),
    (lambda at: ((at / "plan.yaml").unlink(), (at / "plan.yaml").symlink_to("/dev/zero")) and None,
     ["plan.yaml            CHANGED: a symbolic link"]),
    (forge, ["run.json             unchanged", "signature            BAD"]),
    (damage, ["MANIFEST.json is damaged: not JSON: line 1"]),
    (lose_manifest, ["cannot read 'MANIFEST.json'"]),
)


def stalled_disk(lab):
    """A disk for results that takes nothing from the middle of the load on costs no heartbeat: the
    load goes on to its end, the report is printed, the results are elsewhere."""
    disk = xfs_disk(lab, "results")
    plan = write_plan(lab, "stalled", [{"local": 2}], {"n": {"null": True, "size": "64MiB"}},
                      [{"name": "w", "op": "write", "targets": ["n"], "runtime": "6s",
                        "workers": 1}],
                      fleet={"suspect_after": "1s", "dead_after": "3s"}, io_timeout="2s")
    program = lab.muster("run", plan, "--out", disk.mount / "out")
    journal = disk.mount / "out.partial" / "journal.bin"
    wait_for(lambda: journal.exists() and journal.stat().st_size, 30, "the journal")
    wait_for(lambda: "under load" in program.output()[1] or "w (1 of 1" in program.output()[1],
             30, "the load")
    # Who waits in a frozen file system cannot be ended by any signal.
    thaw = lambda: lab.call("sh", "-c", f"fsfreeze -u {disk.mount} || true")
    ends = lab.end_programs
    lab.end_programs = lambda: (thaw(), ends())
    lab.call("fsfreeze", "-f", disk.mount)
    began = time.monotonic()
    wait_for(lambda: "not signed" in program.output()[1], 60, "the report")
    took = time.monotonic() - began
    thaw()
    done = program.wait(20).expect(6)
    require(took < 6 + 10 + 8, f"the report came after {took:.1f} s")
    require("disk of the results has not answered" in done.stderr, f"not said:\n{done.stderr}")
    # And what the local agents had kept, since the journal's disk did not have it: said as well.
    rescued = [path for path in lab.temporary.glob("muster-*") if (path / "run.json").exists()]
    require(len(rescued) == 1 and str(rescued[0]) in done.stderr, f"{rescued}\n{done.stderr}")
    require(done.stderr.count("results are left in") == 2, done.stderr)
    result = Result(rescued[0])
    require(result.outcome == "PASS", f"{result.outcome}: {result.codes('INVALID')}")
    result.require_sums()
    require(journal.exists(), "the journal is gone")
    for path in lab.temporary.glob("muster-*"):
        shutil.rmtree(path)
    lab.require_nothing_left()

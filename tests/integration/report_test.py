"""A run told again: junit.xml by an XML parser, GitHub's summary and annotations, baselines."""

import json
import os
import xml.etree.ElementTree as ElementTree

from lab import require
from plans import write_plan

PHASES = [
    {"name": "write", "op": "write", "targets": ["nothing"], "runtime": "1200ms"},
    {"name": "read", "op": "read", "targets": ["nothing"], "runtime": "1200ms"},
]
GATES = [
    {"phase": "write", "metric": "p99_latency", "of": "host", "at_most": "1h"},
    {"phase": "write", "metric": "throughput", "of": "label", "label": "site",
     "at_least": "900 TB/s"},
    {"phase": "write", "metric": "steadiness", "of": "fleet", "at_most": "20%"},
]
# What could break a document, a page or a terminal.
EVIL = "<b> & \"'\u0001\u000b\u007f\ufffe ]]> ~|`* \u202e \U0001f4be \r\n::error::no\t%0A"


def test(lab):
    run = measure(lab, "first", GATES, 1)
    require_cases(ElementTree.parse(run / "junit.xml").getroot())
    text = report(lab, run).expect(0).stdout
    require("FAIL" in text and "INCONCLUSIVE" in text, f"the report has no gates:\n{text}")
    require(report(lab, run, "junit").expect(0).stdout == (run / "junit.xml").read_text(),
            "junit.xml is told differently again")
    require(json.loads(report(lab, run, "json").expect(0).stdout)
            == json.loads((run / "run.json").read_text()), "run.json is told differently again")
    require("| read | read |" in report(lab, run, "markdown").expect(0).stdout,
            "no summary of phases in the Markdown")
    require("| **FAIL** | write |" in report(lab, run, "markdown").expect(0).stdout,
            "the summary has no failed gate")
    require("text" in report(lab, run, "txt").expect(2).stderr, "no nearest form is named")
    require_evil_is_harmless(lab, run)
    require_baseline(lab, run)
    lab.end_programs()
    lab.require_nothing_left()


def measure(lab, name, gates, code, *more):
    """With the environment of a step of GitHub's."""
    targets = {"nothing": {"null": True, "size": "64MiB"}}
    agents = [{"local": 1, "labels": {"site": "a"}}]
    plan = write_plan(lab, name, agents, targets, PHASES, gates=gates)
    directory, summary = lab.directory / f"run-{name}", lab.directory / f"summary-{name}"
    os.environ.update({"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(summary)})
    try:
        done = lab.muster("run", plan, "--out", directory, *more).wait(60).expect(code)
    finally:
        del os.environ["GITHUB_ACTIONS"], os.environ["GITHUB_STEP_SUMMARY"]
    annotations = [line for line in done.stdout.splitlines() if line.startswith("::")]
    require(any(line.startswith("::error title=muster FAIL%3A ") for line in annotations)
            == (code == 1), f"annotations are {annotations}")
    require(summary.read_text().startswith("## muster: "), summary.read_text())
    return directory


def report(lab, run, form=None):
    return lab.muster("report", run, *(["--as", form] if form else [])).wait(30)


def require_cases(root):
    suite = root.find("testsuite")
    times = [float(case.get("time")) for case in suite.iter("testcase")]
    require(sum(time > 0 for time in times) == len(PHASES),
            f"others than the {len(PHASES)} phases take time: {times}")
    require(sum(times) <= float(suite.get("time")) + 0.01,
            f"the cases' times {times} are more than the run's {suite.get('time')}")
    cases = {(case.get("classname"), case.get("name")): case for case in suite}
    cases.pop((None, None), None)  # the suite's properties
    states = {name: sorted(part.tag for part in case if part.tag in ("failure", "error", "skipped"))
              for name, case in cases.items()}
    require(states == {
        ("muster.first", "run"): [],
        ("muster.first.write", "measured"): [],
        ("muster.first.read", "measured"): [],
        ("muster.first.write", "p99_latency at_most 1h [local1]"): [],
        ("muster.first.write", "throughput at_least 900 TB/s [site=a]"): ["failure"],
        ("muster.first.write", "steadiness at_most 20% [fleet]"): ["skipped"],
    }, f"cases are {states}")
    counts = {key: suite.get(key) for key in ("tests", "failures", "errors", "skipped")}
    require(counts == {"tests": "6", "failures": "1", "errors": "0", "skipped": "1"},
            f"counts are {counts}")
    failed = cases["muster.first.write", "throughput at_least 900 TB/s [site=a]"]
    figures = {item.get("name"): item.get("value") for item in failed.iter("property")}
    require(float(figures["value"]) > 0 and float(figures["margin"]) < 0, f"figures: {figures}")


def require_evil_is_harmless(lab, run):
    """Texts of a host, of whatever bytes, in each report."""
    result = json.loads((run / "run.json").read_text())
    result["findings"].append({
        "code": "HOST_BROKEN", "level": "INVALID", "phase": "write", "trial": 1, "host": EVIL,
        "target": None, "evidence": EVIL, "figures": {}, "advice": EVIL})
    result["hosts"][0]["host"] = EVIL
    result["gates"][1].update({"who": EVIL, "text": EVIL})
    path = lab.directory / "evil.json"
    path.write_text(json.dumps(result))
    root = ElementTree.fromstring(report(lab, path, "junit").expect(0).stdout)
    message = root.find(".//error").get("message")
    require("<b> & \"'\ufffd\ufffd\ufffd\ufffd ]]>" in message and "\r\n::error::no\t%0A" in message,
            f"the text came out as {message!r}")
    for form in ("text", "markdown"):
        text = report(lab, path, form).expect(0).stdout
        require(not any(line.startswith("::") for line in text.splitlines())
                and "\u0001" not in text and "\u202e" not in text, f"{form}: {text!r}")
    require("<b>" not in report(lab, path, "markdown").expect(0).stdout, "HTML in the summary")
    for wrong, word in (('"hosts":', '"hots":'), ('"FAIL"', '"FAILED"'), ('"phases": [', '"phases": [[')):
        path.write_text((run / "run.json").read_text().replace(wrong, word))
        require(report(lab, path).expect(2).stderr.count("\n") == 1, "more than one line, or none")


def require_baseline(lab, run):
    gate = {"phase": "read", "metric": "iops", "of": "fleet", "against": "baseline"}
    measure(lab, "second", [{**gate, "at_least": "0.001%"}], 0, "--baseline", run)
    second = lab.directory / "run-second"
    judge = lab.muster("judge", second).wait(30).expect(4)
    require("--baseline" in judge.stdout, f"no word of what is missing:\n{judge.stdout}")
    lab.muster("judge", second, "--baseline", run).wait(30).expect(0)
    plan = lab.directory / "second.yaml"
    for arguments, word in (((), "--baseline RUN"), (("--baseline", lab.directory), "cannot open"),
                            (("--baseline", run, "--set", "phases.read.block_size=4KiB"),
                             "block_size")):
        done = lab.muster("run", plan, "--out", lab.directory / "never", *arguments).wait(30)
        require(word in done.expect(2).stderr, f"{arguments}: {done.stderr}")

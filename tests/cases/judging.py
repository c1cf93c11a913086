"""judging.py - facts as files, and what `muster judge` says of them."""

import concurrent.futures
import csv
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

KIB, MIB, GIB, MB = 1 << 10, 1 << 20, 1 << 30, 10**6
LEVELS = ["OK", "NOTE", "WARN", "INVALID", "REFUSE"]


class Failed(AssertionError):
    pass


def require(holds, what):
    if not holds:
        raise Failed(what)


def require_near(value, wanted, what, tolerance=0.01):
    require(value is not None and math.isclose(value, wanted, rel_tol=tolerance),
            f"{what} is {value}, not {wanted} within {100 * tolerance:g} %")


def flow(value):
    """YAML in flow style; numbers with units are plain, everything else is as JSON has it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{flow(key)}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(flow(item) for item in value) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value) if value != int(value) else f"{value:.1f}"
    return str(value)


class Judged:
    def __init__(self, code, result):
        self.code, self.result = code, result
        self.findings = result["findings"]

    @property
    def codes(self):
        return {finding["code"] for finding in self.findings}

    @property
    def level(self):
        return max((finding["level"] for finding in self.findings), key=LEVELS.index,
                   default="OK")

    def of(self, code, **where):
        return [finding for finding in self.findings if finding["code"] == code
                and all(finding[key] == value for key, value in where.items())]

    def figure(self, code, name, **where):
        found = self.of(code, **where)
        require(found, f"{code} {where or ''} was not found: {sorted(self.codes)}")
        figures = found[0]["figures"]
        if isinstance(figures, dict):
            require(name in figures, f"{code} has no '{name}': {figures}")
            return figures[name]
        values = [figure["value"] for figure in figures if figure["name"] == name]
        require(values, f"{code} has no '{name}': {figures}")
        return values[0]

    def cluster(self, phase):
        return next(p for p in self.result["phases"] if p["name"] == phase)["cluster"]

    def require_codes(self, wanted, allowed=()):
        """All of `wanted` are there, and nothing else that is more than a note."""
        missing = set(wanted) - self.codes
        require(not missing, f"{sorted(missing)} not found, only {sorted(self.codes)}")
        others = {f["code"] for f in self.findings if f["level"] in LEVELS[2:]}
        others -= set(wanted) | set(allowed)
        require(not others, f"{sorted(others)} found beside {sorted(wanted)}")


class Judge:
    """Makes files in a directory of its own and has them judged."""

    def __init__(self, muster):
        self.muster = muster
        self.directory = tempfile.TemporaryDirectory(prefix="muster-cases.")
        self.path = pathlib.Path(self.directory.name)
        self.count = 0

    def table(self, name, columns, rows):
        with open(self.path / name, "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(columns)
            writer.writerows(rows)
        return name

    def judge(self, **facts):
        lines = ["judge: 1"]
        for key, value in facts.items():
            if isinstance(value, list):
                lines += [f"{key}:"] + [f"  - {flow(item)}" for item in value]
            else:
                lines.append(f"{key}: {flow(value)}")
        self.count += 1
        path = self.path / f"facts{self.count}.yaml"
        path.write_text("\n".join(lines) + "\n")
        return judge_file(self.muster, path)


def require_junit(done):
    """A forge that reads only its cases comes to the same outcome."""
    suite = xml.etree.ElementTree.fromstring(done.stdout).find("testsuite")
    found = {name: len(suite.findall(f"testcase/{element}")) for name, element in
             (("failures", "failure"), ("errors", "error"), ("skipped", "skipped"))}
    for name, count in found.items():
        require(int(suite.get(name)) == count, f"{name} is {suite.get(name)}, there are {count}")
    worst = next((code for code, name in ((3, "errors"), (1, "failures"), (4, "skipped"))
                  if found[name]), 0)
    wanted = {5: 3}.get(done.returncode, done.returncode)
    require(worst == wanted, f"junit has {found}, the exit code is {done.returncode}")


def judge_file(muster, path):
    done = subprocess.run([muster, "judge", "--as", "json", str(path)], capture_output=True, text=True,
                          timeout=60)
    require(done.stdout, f"judge said nothing of {path} but {done.stderr!r}")
    text = subprocess.run([muster, "judge", str(path)], capture_output=True, text=True, timeout=60)
    result = json.loads(done.stdout)
    require(text.returncode == done.returncode, "the report has another exit code than the result")
    require_junit(subprocess.run([muster, "judge", "--as", "junit", str(path)], capture_output=True,
                                 text=True, timeout=60))
    for finding in result["findings"]:
        require(finding["code"] in text.stdout, f"the report does not name {finding['code']}")
    return Judged(done.returncode, result)


def problem_of(case):
    """None of a case that holds; of any kind else: the others are run too."""
    try:
        case()
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"
    return None


def main_of(cases, argv):
    """Runs cases by name, one on each processor; a case is a function that raises or answers."""
    wanted = [(name, case) for name, case in cases if not argv or name in argv]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = pool.map(problem_of, [case for _, case in wanted])
        for (name, _), problem in zip(wanted, problems):
            failed += problem is not None
            print(f"FAILED {name}: {problem}" if problem else f"ok     {name}")
    print(f"{failed} failed" if failed else "all hold")
    sys.stdout.flush()
    return 1 if failed else 0

"""What `make demo` runs: exit 0 in a minute, and nothing but the run directory is left."""

from lab import require, wait_for
from results import Result


def test(lab):
    where = lab.directory / "person"
    where.mkdir()
    plan = lab.source / "configs" / "demo.yaml"
    done = lab.muster("run", plan, cwd=where).wait(100).expect(0)
    require(done.seconds < 60, f"it took {done.seconds:.0f} s")
    runs = list((where / "muster-runs").iterdir())
    require([path.name for path in where.iterdir()] == ["muster-runs"] and len(runs) == 1,
            f"left are {sorted(str(path) for path in where.rglob('*'))}")
    require(f"muster-runs/{runs[0].name}" in done.stdout, "where the results are is not said")
    result = Result(runs[0])
    require(result.outcome == "PASS", f"outcome is {result.outcome}")
    result.require_sums()
    wait_for(lambda: not lab.processes(), 5, "local agents end")
    lab.require_nothing_left()

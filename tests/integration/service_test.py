"""The agent's systemd unit, as it is installed: systemd finds nothing wrong with it and rates it as
shut in."""

import subprocess

from lab import require, require_tools

# systemd's own figure, 0 (shut in) to 100 (open).
EXPOSURE_MOST = 30


def test(lab):
    require_tools("systemd-analyze", "cmake")
    prefix = lab.directory / "prefix"
    lab.call("cmake", "--install", lab.build, "--prefix", prefix)
    unit = prefix / "lib/systemd/system/muster-agent.service"
    text = unit.read_text()
    require(f"ExecStart={prefix}/bin/muster-agent\n" in text, f"it starts another agent:\n{text}")
    for command in (["verify", unit],
                    ["security", "--offline=yes", f"--threshold={EXPOSURE_MOST}", unit]):
        done = subprocess.run(["systemd-analyze", "--man=no", *command], capture_output=True,
                              text=True, timeout=60, check=False)
        require(done.returncode == 0, f"{command}: {done.stdout}{done.stderr}")
        require(command[0] == "security" or not done.stderr, done.stderr)

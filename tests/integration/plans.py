"""plans.py - plans as a person would write them, from a few words."""

import re

PLAIN = re.compile(r"[A-Za-z0-9_./][A-Za-z0-9_./ %-]*")


def flow(value):
    """YAML in flow style; what could be taken for something else is quoted."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple, set)):
        return "[" + ", ".join(flow(item) for item in value) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    return text if PLAIN.fullmatch(text) else '"' + text.replace('"', '\\"') + '"'


def write_plan(lab, name, agents, targets, phases, fleet=None, **more):
    """A plan file; windows may be short, since what is tested is not the disk."""
    more = {"min_window": "1ms", **more}
    lines = [f"name: {name}", "fleet:", "  agents:"]
    lines += [f"    - {flow(agent)}" for agent in agents]
    lines += [f"  {key}: {flow(value)}" for key, value in (fleet or {}).items()]
    lines += ["targets:"] + [f"  {key}: {flow(value)}" for key, value in targets.items()]
    lines += ["phases:"] + [f"  - {flow(phase)}" for phase in phases]
    for key, value in more.items():
        if isinstance(value, list):
            lines += [f"{key}:"] + [f"  - {flow(item)}" for item in value]
        else:
            lines.append(f"{key}: {flow(value)}")
    path = lab.directory / f"{name}.yaml"
    path.write_text("\n".join(lines) + "\n")
    return path


def fleet_plan(fleet, name, phases, size="128MiB", keep=False, settings=None, hosts=None,
               **more):
    """A plan for every host of a fleet, or those named, each with its own directory as the target
    `disk`."""
    agents = [{"host": host.address, "targets": {"disk": {"path": host.disk.mount}}}
              for host in hosts or fleet.hosts]
    disk = {"path": "/nowhere", "size": size, **({"keep": True} if keep else {})}
    return write_plan(fleet.lab, name, agents, {"disk": disk}, phases, fleet=settings, **more)

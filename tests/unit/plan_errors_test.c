/* What is wrong with a plan is said once, at its place. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "controller/plan.h"

/* Line 1 is the name, 2 the fleet, 3 the targets, 4 the phases; a case replaces what it is about.
 * A '^' stands in front of the place where the error has to be, and is not part of the plan. */
#define NAME    "name: plan\n"
#define FLEET   "fleet: {agents: [{local: 1}]}\n"
#define TARGETS "targets: {disk: {path: /test, size: 1GiB}, raw: {device: /dev/sdb}}\n"
#define PHASES  "phases: [{name: w, op: write, targets: [disk], runtime: 5s}]\n"
#define REST    TARGETS PHASES

#define AGENTS(text)      NAME "fleet: {agents: [" text "]}\n" REST
#define FLEET_OF(text)    NAME "fleet: {agents: [{local: 1}], " text "}\n" REST
#define TARGETS_OF(text)  NAME FLEET "targets: {disk: {path: /test, size: 1GiB}, " text "}\n" PHASES
#define PHASE(text)       NAME FLEET TARGETS "phases: [{name: w, " text "}]\n"
#define DEFAULTS_OF(text) NAME FLEET REST "defaults: {" text "}\n"
#define WITH(text)        NAME FLEET REST text "\n"
#define GATE(text)        WITH("gates: [{" text "}]")
#define STRIPES(text)                                                                              \
	NAME FLEET "targets:\n"                                                                    \
		   "  a: {device: /dev/sda}\n"                                                     \
		   "  b: {device: /dev/sdb}\n"                                                     \
		   "  c: {device: /dev/sdc}\n"                                                     \
		   "  s: {stripe: [a, b]}\n"                                                       \
		   "  t: {stripe: [b, c]}\n"                                                       \
		   "  md: {path: /test, size: 1GiB, members: [a, b]}\n"                            \
		   "  other: {path: /other, size: 1GiB, members: [a, b]}\n"                        \
		   "phases: [{name: w, runtime: 5s, " text "}]\n"

struct bad_plan {
	const char *what; /* of the row, when it fails */
	const char *text;
	const char *says;
	uint32_t errors; /* that the plan has in all; 0: this alone */
};

static const struct bad_plan bad_plans[] = {
	/* not YAML, or not as muster reads it */
	{"flow without end", NAME "fleet: {agents: [{local: 1}]\n^", ""},
	{"key twice", WITH("repeat: 1\n^repeat: 2"), "repeat"},
	{"anchor", NAME FLEET "targets: {disk: ^&d {path: /test, size: 1GiB}}\n" PHASES, "anchor"},
	{"two documents", WITH("^---\nname: other"), "document"},
	{"not a mapping", "^plan\n", ""},
	/* keys and values that the table does not take */
	{"unknown key", WITH("^repeet: 2"), "repeat"},
	{"unknown key of a phase", PHASE("op: read, targets: [disk], ^runtme: 5s"), "runtime"},
	{"fio's word", PHASE("op: read, targets: [disk], runtime: 5s, ^iodepth: 4"),
	 "phases[0].iodepth: unknown key; here it is 'queue_depth'"},
	{"a part of fio's word", PHASE("op: read, targets: [disk], runtime: 5s, ^iode: 4"),
	 "unknown key; legal are"},
	{"vdbench's word among defaults", DEFAULTS_OF("^xfersize: 4KiB"),
	 "here it is 'block_size'"},
	{"somebody's word for hosts", AGENTS("{^nodes: a}"), "here it is 'host'"},
	{"name beyond ASCII", "name: ^t\xc3\xa9st\n" FLEET REST, "has '\xc3\xa9' in it"},
	{"missing name", "^" FLEET REST, "name"},
	{"missing op", NAME FLEET TARGETS "phases: [^{name: w, targets: [disk], runtime: 5s}]\n",
	 "op"},
	{"unknown op", PHASE("op: ^wipe, targets: [disk], runtime: 5s"), "read"},
	{"unit nobody knows", PHASE("op: read, targets: [disk], block_size: ^4Kb, runtime: 5s"),
	 "4Kb"},
	{"trailing junk", PHASE("op: read, targets: [disk], block_size: ^4KiBs, runtime: 5s"),
	 "4KiBs"},
	{"octal", PHASE("op: read, targets: [disk], workers: ^010, runtime: 5s"), "010"},
	{"negative", PHASE("op: read, targets: [disk], block_size: ^-4096, runtime: 5s"), "-4096"},
	{"overflow", PHASE("op: read, targets: [disk], block_size: ^99999999999TiB, runtime: 5s"),
	 "large"},
	{"time without unit", PHASE("op: read, targets: [disk], runtime: ^60"), "60"},
	{"not a bool", PHASE("op: read, targets: [disk], allow_ram: ^maybe, runtime: 5s"), "maybe"},
	{"out of range", WITH("repeat: ^1001"), "1000"},
	{"bucket too narrow", WITH("bucket: ^1ms"), "10"},
	{"rate without a second", PHASE("op: read, targets: [disk], rate: ^500, runtime: 5s"),
	 "500 iops"},
	{"rate of nothing", PHASE("op: read, targets: [disk], rate: ^0/s, runtime: 5s"),
	 "more than 0"},
	{"rate in a unit nobody knows",
	 PHASE("op: read, targets: [disk], rate: ^5 rows/s, runtime: 5s"), "not known"},
	{"rate in parts of an operation",
	 PHASE("op: read, targets: [disk], rate: ^0.5/s, runtime: 5s"), "whole number"},
	{"rate of less than an I/O a minute",
	 PHASE("op: read, targets: [disk], rate: ^1/s, workers: 100, runtime: 5s"), "a minute"},
	{"rate of less than a block a minute",
	 PHASE("op: read, targets: [disk], rate: ^17KiB/s, runtime: 5s"), "a minute"},
	{"syncs of a read phase", PHASE("op: read, targets: [disk], sync_every: ^8, runtime: 5s"),
	 "nothing to sync"},
	{"syncs twice",
	 PHASE("op: write, targets: [disk], sync: each, sync_every: ^8, runtime: 5s"), "each"},
	{"call of no sync",
	 PHASE("op: write, targets: [disk], sync: none, sync_call: ^fdatasync, runtime: 5s"),
	 "neither"},
	{"call of syncs that nobody knows",
	 PHASE("op: write, targets: [disk], sync_call: ^fdsync, runtime: 5s"), "fsync"},
	{"local agents that forget",
	 PHASE("op: read, targets: [disk], runtime: 5s, expect: ^20261130-191502-3fa9"),
	 "give them a spool that stays"},
	{"mix that reads what is being written",
	 PHASE("op: mixed, targets: [disk], runtime: 5s, access: random, queue_depth: 4, verify: "
	       "^true"),
	 "could meet writes"},
	{"block larger than its target",
	 NAME FLEET "targets: {disk: {path: /test, size: 1MiB}}\n"
		    "phases: [{name: w, op: write, targets: [^disk], runtime: 5s, access: random, "
		    "block_size: {4KiB: 50%, 2MiB: 50%}}]\n",
	 "less than one block of 2MiB"},
	{"more workers than blocks",
	 PHASE("op: write, targets: [^disk], runtime: 5s, block_size: 1GiB, workers: 2"),
	 "1 block of 1GiB for 2 workers"},
	{"trim with a queue",
	 PHASE("op: trim, targets: [disk], queue_depth: ^8, workers: 2, size: 1GiB"),
	 "workers: 16"},
	{"trim of a mix, once",
	 PHASE("op: trim, targets: [disk], access: random, "
	       "block_size: ^{4KiB: 50%, 64KiB: 50%}"),
	 "a trim without size gives each block back once"},
	{"trim with an engine", PHASE("op: trim, targets: [disk], engine: ^uring, size: 1GiB"),
	 "of its own"},
	{"trim that polls", PHASE("op: trim, targets: [disk], iopoll: ^true, size: 1GiB"),
	 "poll for"},
	{"trim that syncs each", PHASE("op: trim, targets: [disk], sync: ^each, size: 1GiB"),
	 "each"},
	{"trim that verifies", PHASE("op: trim, targets: [disk], verify: ^true, size: 1GiB"),
	 "reads nothing"},
	{"idle without a time", PHASE("op: ^idle, targets: [disk], size: 1GiB"), "runtime"},
	{"idle that syncs", PHASE("op: idle, targets: [disk], sync: ^end, runtime: 5s"), "nothing"},
	{"gate on an idle phase",
	 NAME FLEET TARGETS "phases: [{name: w, op: idle, targets: [disk], runtime: 5s}]\n"
			    "gates: [{phase: ^w, metric: iops, of: host, at_least: 5}]\n",
	 "no figures"},
	{"coverage of a sequence", PHASE("op: read, targets: [disk], coverage: ^full, runtime: 5s"),
	 "anyway"},
	{"coverage of a mix",
	 PHASE("op: read, targets: [disk], access: random, coverage: ^full, block_size: {4KiB: "
	       "50%, 8KiB: 50%}, runtime: 5s"),
	 "once each"},
	{"passes of what is no fill", PHASE("op: write, targets: [disk], passes: ^2, runtime: 5s"),
	 "ends by size"},
	{"fill with a time", PHASE("op: fill, targets: [disk], runtime: ^5s"), "runtime: 0"},
	{"fill with an amount", PHASE("op: fill, targets: [disk], size: ^5GiB"), "leave it out"},
	{"fill of nothing", PHASE("op: fill, targets: [disk], passes: ^0"), "at least once"},
	{"fill that verifies", PHASE("op: fill, targets: [disk], verify: ^true"), "reads nothing"},
	{"mix that is not whole",
	 PHASE("op: read, targets: [disk], access: random, block_size: ^{4KiB: 70%, 64KiB: 20%}, "
	       "runtime: 5s"),
	 "90%"},
	{"mix with an odd size",
	 PHASE("op: read, targets: [disk], access: random, block_size: {^1000: 70%, 64KiB: 30%}, "
	       "runtime: 5s"),
	 "1024"},
	{"mix with a size twice",
	 PHASE("op: read, targets: [disk], access: random, block_size: {4KiB: 70%, ^4096: 30%}, "
	       "runtime: 5s"),
	 "twice"},
	{"mix with no size",
	 PHASE("op: read, targets: [disk], access: random, block_size: ^{}, runtime: 5s"), "empty"},
	{"mix with a share of nothing",
	 PHASE("op: read, targets: [disk], access: random, block_size: {4KiB: 100%, 8KiB: ^0%}, "
	       "runtime: 5s"),
	 "1% to 100%"},
	{"mix with a bare share",
	 PHASE("op: read, targets: [disk], access: random, block_size: {4KiB: ^70, 64KiB: 30%}, "
	       "runtime: 5s"),
	 "%"},
	{"mix in sequence",
	 PHASE("op: read, targets: [disk], block_size: ^{4KiB: 70%, 64KiB: 30%}, runtime: 5s"),
	 "random"},
	{"mix in turns",
	 PHASE("op: read, targets: [disk], access: random, block_size: {4KiB: 70%, 64KiB: 30%}, "
	       "split: ^interleaved, runtime: 5s"),
	 "regions"},
	{"mix larger than the amount",
	 PHASE("op: read, targets: [disk], access: random, block_size: {4KiB: 70%, 64KiB: 30%}, "
	       "size: ^32KiB"),
	 "65536"},
	{"list of block sizes",
	 PHASE("op: read, targets: [disk], access: random, block_size: ^[4KiB, 8KiB], runtime: 5s"),
	 "or a map"},
	{"block size too small", PHASE("op: read, targets: [disk], block_size: ^256, runtime: 5s"),
	 "512"},
	{"a scalar for a list", PHASE("op: read, targets: ^disk, runtime: 5s"), "targets"},
	{"a list for a scalar", PHASE("op: ^[read], targets: [disk], runtime: 5s"), "op"},
	/* defaults */
	{"defaults with an unknown key", DEFAULTS_OF("^blok_size: 4KiB"), "block_size"},
	{"defaults with a bad value", DEFAULTS_OF("workers: ^0"), "defaults.workers"},
	{"defaults with a name", DEFAULTS_OF("^name: all"), "name"},
	{"defaults that are no mapping", WITH("defaults: ^5s"), "defaults"},
	{"bad defaults without phases", NAME FLEET TARGETS "phases: ^[]\ndefaults: {ramp: 5}\n",
	 "at least one", 2},
	{"a bad default once for two phases",
	 NAME FLEET TARGETS "defaults: {runtime: ^5}\n"
			    "phases: [{name: r, op: read, targets: [disk]},\n"
			    "         {name: w, op: write, targets: [disk]}]\n",
	 "defaults.runtime"},
	{"a rule broken by a default is said once",
	 NAME FLEET TARGETS "defaults: {block_size: ^1000, runtime: 5s}\n"
			    "phases: [{name: r, op: read, targets: [disk]},\n"
			    "         {name: w, op: write, targets: [disk]}]\n",
	 "512"},
	/* names */
	{"plan's name with a slash", "name: ^a/b\n" FLEET REST, "'/'"},
	{"empty name",
	 PHASE("op: read, targets: [disk], runtime: 5s}, {name: ^\"\", op: read, "
	       "targets: [disk], runtime: 5s"),
	 "empty"},
	{"name of two dots", TARGETS_OF("^..: {null: true}"), "directory"},
	{"target's name with a blank", TARGETS_OF("^a b: {null: true}"), "' '"},
	{"name of 65 characters",
	 "name: ^a1234567890123456789012345678901234567890123456789012345678901234\n" FLEET REST,
	 "at most 64"},
	{"phase twice",
	 PHASE("op: read, targets: [disk], runtime: 5s}, {name: ^w, op: read, "
	       "targets: [disk], runtime: 5s"),
	 "phases[0] in line 4"},
	/* fleet */
	{"no agents", NAME "fleet: {agents: ^[]}\n" REST, "at least one"},
	{"nodeset backwards", AGENTS("{host: ^\"a[3-1]\"}"), "fleet.agents[0].host"},
	{"nodeset without end", AGENTS("{host: ^\"a[1-\"}"), "fleet.agents[0].host"},
	{"host and local", AGENTS("{host: a, local: ^1}"), "both"},
	{"neither host nor local", AGENTS("^{labels: {os: linux}}"), "neither"},
	{"key of local agents", AGENTS("{local: 1, key: ^a}"), "keys for once"},
	{"port of local agents", AGENTS("{local: 1, port: ^7411}"), "loopback"},
	{"spool of a host", AGENTS("{host: a, spool: ^/tmp}"), "agent.yaml"},
	{"spool and scratch", AGENTS("{local: 1, spool: /var, scratch: ^/tmp}"), "leave one"},
	{"scratch of a host", AGENTS("{host: a, scratch: ^/tmp}"), "agent.yaml"},
	{"no local agents", AGENTS("{local: ^0}"), "1"},
	{"too many local agents", AGENTS("{local: ^65}"), "64"},
	{"port out of range", AGENTS("{host: a, port: ^65536}"), "65535"},
	{"host twice in a set", AGENTS("{host: ^\"a[1-2],a2\"}"), "a2"},
	{"host twice", AGENTS("{host: \"a[1-3]\"}, {host: b}, {host: ^\"a[3-4]\"}"),
	 "'a3' is in fleet.agents[0] (line 2) already"},
	{"host twice with two ports", AGENTS("{host: a}, {host: ^a, port: 7412}"),
	 "whatever the port"},
	{"host called as a local agent", AGENTS("{host: local2}, {local: ^2}"), "'local2'"},
	{"more hosts than there may be",
	 AGENTS("{host: \"a[1-65536]\"}, {host: ^\"b[1-65536]\"}, {host: \"c[1-65536]\"}"),
	 "65536"},
	{"policy nobody knows", FLEET_OF("on_host_loss: ^ignore"), "continue"},
	{"dead_after that is too short", FLEET_OF("dead_after: ^1s"), "3"},
	{"suspect_after at dead_after", FLEET_OF("suspect_after: ^5s, dead_after: 5s"),
	 "not below dead_after"},
	{"dead_after at the suspect_after that is not written", FLEET_OF("dead_after: ^3s"),
	 "unless set"},
	{"label twice", AGENTS("{local: 1, labels: {os: a, ^os: b}}"), "os"},
	/* overrides */
	{"override of a target that the plan has not",
	 AGENTS("{local: 1, targets: {^dsk: {path: /other}}}"), "nearest is 'disk'"},
	{"override that is two things",
	 AGENTS("{local: 1, targets: {^disk: {path: /a, device: /dev/sdc}}}"), "path device"},
	{"override that is a file without size",
	 NAME "fleet: {agents: [{host: a}, {host: b, targets: {^raw: {path: /a}}}]}\n" TARGETS
	      "phases: [{name: r, op: read, targets: [raw], runtime: 5s}]\n",
	 "how large it is on b"},
	{"a bad value that is inherited is said once",
	 NAME "fleet: {agents: [{local: 1, targets: {disk: {path: /other}}}]}\n"
	      "targets: {disk: {path: /test, size: ^1GiBs}}\n" PHASES,
	 "targets.disk.size"},
	{"override that makes a part a stripe",
	 NAME "fleet: {agents: [{host: bsd, targets: {a: {stripe: [b, c]}}}]}\n"
	      "targets: {a: {device: /dev/sda}, b: {device: /dev/sdb}, c: {device: /dev/sdc},\n"
	      "          s: {stripe: [^a, b]}}\n"
	      "phases: [{name: r, op: read, targets: [s], runtime: 5s}]\n",
	 "on bsd"},
	/* targets */
	{"no targets", NAME FLEET "targets: ^{}\n" PHASES, "at least one"},
	{"nothing says what it is", TARGETS_OF("^x: {size: 1GiB}"), "path, device, stripe"},
	{"two things at once", TARGETS_OF("^x: {path: /x, null: true}"), "path null"},
	{"a device that is a word", TARGETS_OF("x: {device: ^sdb}"), "absolute"},
	{"size with bad text", TARGETS_OF("x: {path: /x, size: ^2x rum}"), "2x rum"},
	{"size of nothing", TARGETS_OF("x: {path: /x, size: ^0}"), "more than 0"},
	{"stripe of one part", TARGETS_OF("x: {stripe: ^[disk]}"), "1 part; a stripe has two"},
	{"stripe of no part", TARGETS_OF("x: {stripe: ^[]}"), "0 parts"},
	{"stripe over itself", TARGETS_OF("x: {stripe: [disk, ^x]}"), "its own part"},
	{"stripe over a stripe",
	 TARGETS_OF("y: {device: /dev/sdy}, z: {stripe: [disk, y]}, x: {stripe: [disk, ^z]}"),
	 "is a stripe itself"},
	{"stripe over nothing known", TARGETS_OF("x: {stripe: [disk, ^dsik]}"),
	 "nearest is 'disk'"},
	{"stripe with a part twice",
	 TARGETS_OF("y: {device: /dev/sdy}, x: {stripe: [disk, y, ^disk]}"), "part already"},
	{"stripe over null and others", TARGETS_OF("y: {null: true}, x: {stripe: ^[disk, y]}"),
	 "some parts are null"},
	{"stripe_unit without stripe", TARGETS_OF("x: {path: /x, stripe_unit: ^64KiB}"),
	 "no stripe"},
	{"stripe_unit of odd bytes",
	 TARGETS_OF("y: {device: /dev/sdy}, x: {stripe: [disk, y], stripe_unit: ^1000}"), "512"},
	{"destroy without device", TARGETS_OF("x: {path: /x, destroy: ^wwn-0x5}"), "destroy"},
	{"keep without path", TARGETS_OF("x: {null: true, keep: ^true}"), "keep"},
	{"remove without path", TARGETS_OF("x: {null: true, remove: ^true}"), "remove"},
	{"remove and keep", TARGETS_OF("x: {path: /x, keep: true, remove: ^true}"),
	 "a file stays or does not"},
	{"member that is not known", TARGETS_OF("x: {path: /x, members: [^raww]}"), "'raww'"},
	{"member of itself", TARGETS_OF("x: {path: /x, members: [^x]}"), "beneath itself"},
	{"member twice", TARGETS_OF("x: {path: /x, members: [disk, ^disk]}"), "already"},
	{"members in a ring",
	 TARGETS_OF("x: {path: /x, members: [^y]}, y: {path: /y, members: [z]}, "
		    "z: {path: /z, members: [x]}"),
	 "in turn"},
	{"members of a stripe",
	 TARGETS_OF("y: {device: /dev/sdy}, x: {stripe: [disk, y], members: ^[disk]}"), "parts"},
	/* phases */
	{"no phases", NAME FLEET TARGETS "phases: ^[]\n", "at least one"},
	{"no target", PHASE("op: read, targets: ^[], runtime: 5s"), "at least one"},
	{"unknown target", PHASE("op: read, targets: [^disc], runtime: 5s"), "nearest is 'disk'"},
	{"same target twice", PHASE("op: read, targets: [disk, ^disk], runtime: 5s"), "already"},
	{"neither size nor runtime",
	 NAME FLEET TARGETS "phases: [^{name: w, op: write, targets: [disk]}]\n", "neither"},
	{"runtime of nothing", PHASE("op: read, targets: [disk], runtime: ^0"), "no size"},
	{"ramp without runtime", PHASE("op: read, targets: [disk], size: 1GiB, ramp: ^1s"),
	 "runtime"},
	{"verify on a write", PHASE("op: write, targets: [disk], verify: ^true, runtime: 5s"),
	 "add a read phase"},
	{"expect of a write",
	 PHASE("op: write, targets: [disk], expect: ^20261130-191502-3fa9, runtime: 5s"),
	 "is there to be read"},
	{"nodatacow of a device", TARGETS_OF("d: {device: /dev/sdc, nodatacow: ^true}"),
	 "without path"},
	{"zeros that are compressible",
	 PHASE("op: write, targets: [disk], pattern: ^zeros, compress: 50%, runtime: 5s"),
	 "leave compress and dedupe out"},
	{"zeros that are verified",
	 PHASE("op: read, targets: [disk], pattern: ^zeros, verify: true, runtime: 5s"),
	 "zeros tell nothing"},
	{"a pattern that is none", PHASE("op: write, targets: [disk], pattern: ^ones, size: 1GiB"),
	 "aes-ctr"},
	{"more compressible than can be",
	 PHASE("op: write, targets: [disk], compress: ^95%, size: 1GiB"), "90"},
	{"more alike than can be", PHASE("op: write, targets: [disk], dedupe: ^96%, size: 1GiB"),
	 "95"},
	{"read_percent without mixed",
	 PHASE("op: read, targets: [disk], read_percent: ^50%, runtime: 5s"), "mixed"},
	{"block size of odd bytes",
	 PHASE("op: read, targets: [disk], block_size: ^1000, size: 1GiB"), "512"},
	{"size of less than a block", PHASE("op: read, targets: [disk], size: ^64KiB"),
	 "one block"},
	{"size of a phase with bad text", PHASE("op: read, targets: [disk], size: ^much"), "much"},
	{"sync end on a read", PHASE("op: read, targets: [disk], sync: ^end, runtime: 5s"), "sync"},
	{"sync each on a read", PHASE("op: read, targets: [disk], sync: ^each, runtime: 5s"),
	 "sync"},
	{"deep queue of sync",
	 PHASE("op: read, targets: [disk], engine: sync, workers: 2, queue_depth: ^4, runtime: "
	       "5s"),
	 "workers: 8"},
	{"cpus of hosts that are no list", AGENTS("{local: 1, cpus: ^x}"), "fleet.agents[0].cpus"},
	{"a target beyond any offset", TARGETS_OF("d: {path: /d, size: ^9999999TiB}"),
	 "is more than agents take, 4194304TiB"},
	{"an amount beyond any offset", PHASE("op: read, targets: [disk], size: ^4194305TiB"),
	 "4194304TiB"},
	{"an earlier run that cannot be one",
	 PHASE("op: read, targets: [disk], runtime: 5s, expect: ^nonsense"),
	 "'nonsense' is no run's id; those are as 20261130-191502-3fa9"},
	{"cpus that are no list", PHASE("op: read, targets: [disk], cpus: ^0..3, runtime: 5s"),
	 "as 0-3,8"},
	{"hugepages of no name", PHASE("op: read, targets: [disk], hugepages: ^2MiB, runtime: 5s"),
	 "auto, true, prefer, false"},
	{"polling without a ring",
	 PHASE("op: read, targets: [disk], engine: sync, iopoll: ^true, runtime: 5s"),
	 "engine: uring or auto"},
	{"polling for memory",
	 PHASE("op: read, targets: [disk], direct: prefer, iopoll: ^true, runtime: 5s"),
	 "direct: true"},
	{"polling for syncs",
	 PHASE("op: write, targets: [disk], sync: each, iopoll: ^true, runtime: 5s"),
	 "takes no fsync"},
	{"engine of no name", PHASE("op: read, targets: [disk], engine: ^libaio, runtime: 5s"),
	 "sync, uring, aio"},
	{"runtime below a bucket", PHASE("op: read, targets: [disk], runtime: ^50ms"),
	 "one bucket"},
	{"runtime of too many buckets", PHASE("op: read, targets: [disk], runtime: ^5000000h"),
	 "wider bucket"},
	{"ramp of too many buckets",
	 PHASE("op: read, targets: [disk], ramp: 5000000h, runtime: ^5s"), "wider bucket"},
	{"bucket above a runtime", WITH("bucket: ^6s"), "one bucket"},
	{"file without size",
	 NAME FLEET "targets: {^x: {path: /x}}\n"
		    "phases: [{name: r, op: read, targets: [x], runtime: 5s}]\n",
	 "how large"},
	{"null without size",
	 NAME FLEET "targets: {^x: {null: true}}\n"
		    "phases: [{name: r, op: read, targets: [x], runtime: 5s}]\n",
	 "how large"},
	{"stripe over files without size",
	 NAME FLEET "targets: {^x: {path: /x}, y: {path: /y, size: 1GiB}, s: {stripe: [x, y]}}\n"
		    "phases: [{name: r, op: read, targets: [s], runtime: 5s}]\n",
	 "how large"},
	{"stripe with a size over files without",
	 NAME FLEET "targets: {^x: {path: /x}, y: {path: /y, size: 1GiB},\n"
		    "          s: {stripe: [x, y], size: 1GiB}}\n"
		    "phases: [{name: r, op: read, targets: [s], runtime: 5s}]\n",
	 "how large"},
	{"stripe and its part", STRIPES("op: write, targets: [s, ^b]"), "share"},
	{"part and its stripe", STRIPES("op: mixed, targets: [b, ^s]"), "share"},
	{"stripes that share a part", STRIPES("op: write, targets: [s, ^t]"), "share"},
	{"target and what is beneath", STRIPES("op: write, targets: [md, ^a]"), "share"},
	{"file system over a stripe's parts", STRIPES("op: write, targets: [md, ^t]"), "share"},
	{"one device by two names",
	 NAME FLEET "targets: {a: {device: /dev/sda}, b: {device: /dev/sda}}\n"
		    "phases: [{name: w, op: write, targets: [a, ^b], runtime: 5s}]\n",
	 "share"},
	/* what is expected of the hardware */
	{"hardware of an unknown target", WITH("expect: {storage: {^dsk: {level: single}}}"),
	 "nearest is 'disk'"},
	{"a level that nobody knows", WITH("expect: {storage: {disk: {level: ^raid7}}}"), "raid6"},
	{"only parity", WITH("expect: {storage: {disk: {level: raid6, disks: ^2}}}"),
	 "none is left for data"},
	{"rate of how many disks", WITH("expect: {storage: {disk: {disk_rate: ^100 MB/s}}}"),
	 "without level and disks"},
	{"what a run sees itself", WITH("expect: {storage: {disk: {free_bytes: ^1GiB}}}"),
	 "leave it out"},
	{"a key of the hardware that is none", WITH("expect: {^disks: {}}"), "storage"},
	{"more lanes than there are",
	 WITH("expect: {links: {hba: {width: ^8, width_most: 4, targets: [disk]}}}"), "width_most"},
	{"a speed that no link has",
	 WITH("expect: {links: {hba: {gt_per_s: ^7, width: 4, targets: [disk]}}}"), "12"},
	{"too small a packet",
	 WITH("expect: {links: {nic: {gt_per_s: 10, width: 1, mtu: ^15, targets: [disk]}}}"), "68"},
	{"a link to an unknown target",
	 WITH("expect: {links: {hba: {gt_per_s: 6, width: 4, targets: [disk, ^rw]}}}"),
	 "nearest is 'raw'"},
	{"hardware of one host",
	 AGENTS("{local: 1, expect: {storage: {disk: {level: raid5, disks: ^1}}}}"),
	 "fleet.agents[0].expect.storage.disk"},
	/* gates */
	{"gate on an unknown phase", GATE("phase: ^v, metric: errors, of: fleet, at_most: 0"),
	 "no phase 'v'"},
	{"gate on syncs that there are none of",
	 GATE("phase: w, metric: ^p99_sync_latency, of: fleet, at_most: 10ms"),
	 "p99_sync_latency is of the syncs after sync_every writes, and phase 'w' has no "
	 "sync_every"},
	{"gate without a limit", WITH("gates: [^{phase: w, metric: errors, of: fleet}]"),
	 "at_least"},
	{"gate with an unknown metric", GATE("phase: w, metric: ^speed, of: fleet, at_most: 0"),
	 "p50_sync_latency, p90_sync_latency, p99_sync_latency, p999_sync_latency"},
	{"throughput that is no rate",
	 GATE("phase: w, metric: throughput, of: host, at_least: ^800"), "/s"},
	{"iops that are a rate", GATE("phase: w, metric: iops, of: host, at_least: ^800 MB/s"),
	 "800 MB/s"},
	{"errors in percent", GATE("phase: w, metric: errors, of: host, at_most: ^1%"), "1%"},
	{"latency without a unit", GATE("phase: w, metric: p99_latency, of: host, at_most: ^50"),
	 "50ms"},
	{"latency that is a rate",
	 GATE("phase: w, metric: max_latency, of: host, at_most: ^50 MB/s"), "50ms"},
	{"device share of more than it can say",
	 GATE("phase: w, metric: device_share, of: host, at_least: ^0.95"), "99.5%"},
	{"skew of a host", GATE("phase: w, metric: start_skew, of: ^host, at_most: 5ms"), "fleet"},
	{"steadiness of a target", GATE("phase: w, metric: steadiness, of: ^target, at_most: 20%"),
	 "fleet"},
	{"efficiency of what has no parts",
	 GATE("phase: w, metric: ^stripe_efficiency, of: fleet, at_least: 90%"), "parts"},
	{"group without a label",
	 WITH("gates: [^{phase: w, metric: iops, of: label, at_least: 1}]"), "label"},
	{"label of no group", GATE("phase: w, metric: iops, of: host, label: ^fs, at_least: 1"),
	 "of: label"},
	{"label that no agent has",
	 GATE("phase: w, metric: iops, of: label, label: ^fs, at_least: 1"), "'fs'"},
	{"label that is nearly one",
	 NAME "fleet: {agents: [{local: 1, labels: {site: a}}]}\n" REST
	      "gates: [{phase: w, metric: iops, of: label, label: ^sites, at_least: 1}]\n",
	 "nearest is 'site'"},
	{"within of nothing", GATE("phase: w, metric: iops, of: host, within: ^5%"), "against"},
	{"within and another limit",
	 GATE("phase: w, metric: iops, of: host, against: baseline, at_least: 1%, within: ^5%"),
	 "both ends"},
	{"against an unknown phase",
	 GATE("phase: w, metric: iops, of: host, against: ^x, at_least: 90%"), "no phase 'x'"},
	{"against itself", GATE("phase: w, metric: iops, of: host, against: ^w, at_least: 90%"),
	 "itself"},
	{"ratio of errors",
	 GATE("phase: w, metric: errors, of: host, against: ^baseline, at_most: 100%"), "ratio"},
	{"ratio in a unit",
	 GATE("phase: w, metric: throughput, of: host, against: baseline, at_least: ^8 MB/s"),
	 "percentage"},
	{"baseline of a group",
	 NAME "fleet: {agents: [{local: 1, labels: {fs: a}}]}\n" REST
	      "gates: [{phase: w, metric: iops, of: label, label: fs, against: ^baseline, within: "
	      "5%}]\n",
	 "host, target or fleet"},
	{"phase called baseline",
	 NAME FLEET TARGETS
	 "phases: [{name: w, op: write, targets: [disk], runtime: 5s},\n"
	 "         {name: baseline, op: read, targets: [disk], runtime: 5s}]\n"
	 "gates: [{phase: w, metric: iops, of: host, against: ^baseline, within: "
	 "5%}]\n",
	 "another name"},
	{"spread of a host", GATE("phase: w, metric: spread, of: ^host, at_most: 10%"), "fleet"},
	{"spread that is no percentage", GATE("phase: w, metric: spread, of: fleet, at_most: ^10"),
	 "10"},
	{"limits that exclude each other",
	 GATE("phase: w, metric: iops, of: host, at_least: ^10, at_most: 9"), "more than"},
	/* all of them at once, and no more than those */
	{"three at once",
	 NAME "fleet: {agents: [{host: \"a[3-1]\"}]}\n" TARGETS
	      "phases: [{name: w, op: wipe, targets: [disk], runtime: 5s},\n"
	      "         {name: r, op: read, targets: [^disc]}]\n",
	 "disc", 4},
};

/* The plan without its '^', and where that stood. */
static char *unmark(const char *marked, uint32_t *line, uint32_t *column)
{
	const char *mark = strchr(marked, '^');

	assert_non_null(mark);
	*line = *column = 1;
	for (const char *at = marked; at < mark; at++) {
		*column = *at == '\n' ? 1 : *column + 1;
		*line += *at == '\n';
	}
	return mem_format("%.*s%s", (int)(mark - marked), marked, mark + 1);
}

static bool is_told(const struct yaml_errors *errors, uint32_t line, uint32_t column,
		    const char *says)
{
	char *place = mem_format("bad.yaml:%u:%u: ", line, column);
	bool told = false;

	for (uint32_t i = 0; i < errors->count; i++)
		told |= strncmp(errors->lines[i], place, strlen(place)) == 0 &&
			strstr(errors->lines[i] + strlen(place), says);
	free(place);
	return told;
}

static bool holds(const struct bad_plan *bad)
{
	struct plan plan;
	struct yaml_errors errors = {.file = "bad.yaml"};
	uint32_t line, column;
	char *text = unmark(bad->text, &line, &column);
	bool taken = plan_parse(&plan, text, strlen(text), NULL, 0, &errors);
	bool good = !taken && is_told(&errors, line, column, bad->says) &&
		    errors.count == (bad->errors ? bad->errors : 1);

	if (!good) {
		print_error("%s: %s, wanted '%s' at %u:%u; said was\n", bad->what,
			    taken ? "taken" : "refused", bad->says, line, column);
		for (uint32_t i = 0; i < errors.count; i++)
			print_error("    %s\n", errors.lines[i]);
	}
	if (taken)
		plan_release(&plan);
	yaml_errors_release(&errors);
	free(text);
	return good;
}

static void each_bad_plan_is_refused_at_its_place(void **state)
{
	(void)state;
	uint32_t wrong = 0;

	for (size_t i = 0; i < sizeof(bad_plans) / sizeof(bad_plans[0]); i++)
		wrong += !holds(&bad_plans[i]);
	assert_int_equal(wrong, 0);
}

static void a_setting_that_is_none_is_refused(void **state)
{
	(void)state;
	static const struct {
		char *setting;
		const char *says;
	} bad[] = {
		{"repeat", "KEY=VALUE"},
		{"=5", "KEY=VALUE"},
		{"defaults.runtime=5", "defaults.runtime"},
		{"phases.nothing.size=1GiB", "phases.nothing"},
		{"phases[0].targets=[dsik]", "nearest is 'disk'"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		static const char text[] = NAME FLEET REST;
		struct plan plan;
		struct yaml_errors errors = {.file = "bad.yaml"};
		char *const settings[] = {bad[i].setting};
		bool taken = plan_parse(&plan, text, strlen(text), settings, 1, &errors);
		if (taken || !strstr(errors.lines[0], bad[i].says) ||
		    strncmp(errors.lines[0], "--set ", 6) != 0)
			fail_msg("%s: %s", bad[i].setting, taken ? "taken" : errors.lines[0]);
		yaml_errors_release(&errors);
	}
}

static void a_file_that_is_not_there_is_an_error(void **state)
{
	(void)state;
	struct plan plan;
	struct yaml_errors errors = {.file = "/nowhere/plan.yaml"};

	assert_false(plan_read(&plan, "/nowhere/plan.yaml", NULL, 0, &errors));
	assert_int_equal(errors.count, 1);
	assert_non_null(strstr(errors.lines[0], "/nowhere/plan.yaml"));
	yaml_errors_release(&errors);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_bad_plan_is_refused_at_its_place),
		cmocka_unit_test(a_setting_that_is_none_is_refused),
		cmocka_unit_test(a_file_that_is_not_there_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

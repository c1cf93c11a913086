/* record.h - one definition of each structure: the struct, and one table of rows for it.
 *
 * Plan sections, messages and results are ordinary structs. From a table come reading YAML with
 * units, packing and checked unpacking as msgpack, JSON, CSV columns, Markdown documentation,
 * freeing, and a fingerprint. A new knob is two lines: a member, and its row.
 *
 *     struct phase { char *name; uint64_t block_size; ... };
 *     static const struct record_row phase_rows[] = {
 *             {MEMBER(struct phase, name), .required = true, .doc = "what reports call it"},
 *             {MEMBER(struct phase, block_size), .unit = UNIT_BYTES, .min = 512,
 *              .fallback = "1MiB", .doc = "bytes of one I/O"},
 *     };
 *     const struct record_table phase_table =
 *             RECORD_TABLE(struct phase, "phase", phase_rows, "one thing all workers do");
 *
 * Kinds: bool, uint32_t (an enum is one with `names`: it travels by name), uint64_t, int64_t,
 * double (NAN: unknown, null in JSON), char * (heap; NULL: absent), a record inside the record,
 * a pointer to one that may be absent, and a list (pointer `m` and uint32_t `m_count`).
 * A list whose table has one row is a plain list of scalars in YAML and JSON: [a, b]. A `keyed`
 * list is a map there; its first row is the key, and where the table has two rows the second is
 * the bare value: {os: linux}. In JSON it is one where the key is text, else a list. A scalar may
 * give way to a map, `.map`: 4KiB or {4KiB: 70%, 64KiB: 30%}. Rules that need two members are plain
 * C in plan_check. */
#ifndef MUSTER_COMMON_RECORD_H
#define MUSTER_COMMON_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum record_kind {
	RECORD_BOOL,
	RECORD_U32,
	RECORD_U64,
	RECORD_I64,
	RECORD_F64,
	RECORD_TEXT,
	RECORD_ONE,
	RECORD_MAYBE,
	RECORD_LIST,
};

/* How the text in YAML becomes the number; machine formats carry raw integers. */
enum record_unit { UNIT_NONE, UNIT_BYTES, UNIT_NS, UNIT_PERCENT, UNIT_RATE };

struct record_table;

struct record_row {
	const char *key;
	const char *doc;
	enum record_kind kind;
	enum record_unit unit;
	size_t offset;
	size_t count_offset;              /* RECORD_LIST */
	const struct record_table *table; /* RECORD_ONE, RECORD_MAYBE, RECORD_LIST */
	const char *const *names;         /* enumerations: ends with NULL, index is the value */
	const char *fallback;             /* as if written so in YAML; NULL: zero, NULL, empty */
	uint64_t min, max;                /* of an integer; max 0: no limit but the type's */
	bool required;                    /* YAML must have it, and JSON of any build */
	bool keyed;                       /* RECORD_LIST: a map by the first member */
	bool computed;                    /* not a person's to write: no YAML, not in PLAN.md */
	const char *aka;                  /* what other tools call it, between blanks; not taken,
					     but told to who writes it */
	const char *map;                  /* a scalar's: a map in its place is read by the computed,
					     keyed list of this key */
};

struct record_table {
	const char *name;
	const char *doc;
	size_t size;
	const struct record_row *rows;
	uint32_t count;
};

#define RECORD_KIND(member)                                                                        \
	_Generic((member),                                                                         \
		bool: RECORD_BOOL,                                                                 \
		uint32_t: RECORD_U32,                                                              \
		uint64_t: RECORD_U64,                                                              \
		int64_t: RECORD_I64,                                                               \
		double: RECORD_F64,                                                                \
		char *: RECORD_TEXT)

#define MEMBER(type, member)                                                                       \
	.key = #member, .kind = RECORD_KIND(((type *)0)->member), .offset = offsetof(type, member)
#define MEMBER_ONE(type, member, of)                                                               \
	.key = #member, .kind = RECORD_ONE, .offset = offsetof(type, member), .table = &(of)
#define MEMBER_MAYBE(type, member, of)                                                             \
	.key = #member, .kind = RECORD_MAYBE, .offset = offsetof(type, member), .table = &(of)
#define MEMBER_LIST(type, member, of)                                                              \
	.key = #member, .kind = RECORD_LIST, .offset = offsetof(type, member),                     \
	.count_offset = offsetof(type, member##_count), .table = &(of)

#define RECORD_TABLE(type, title, row_array, text)                                                 \
	{                                                                                          \
		.name = title, .doc = text, .size = sizeof(type), .rows = row_array,               \
		.count = sizeof(row_array) / sizeof((row_array)[0])                                \
	}

/* A name in a list of names: the record of a plain list of text. */
struct name {
	char *name;
};
extern const struct record_table name_table;

/* Frees what the members own and zeroes the record; not the record itself. */
void record_release(const struct record_table *table, void *record);

/* Every text in it becomes one that may be shown (utf8.h). */
void record_make_shown(const struct record_table *table, void *record);

/* Makes `into`, uninitialised or zero, a copy that owns all it has. */
void record_copy(const struct record_table *table, void *into, const void *from);

/* Appends a zeroed element to a list member and returns it: record_append(list, count, size). */
void *record_append(void **list, uint32_t *count, size_t size);
#define RECORD_APPEND(list, count) record_append((void **)&(list), &(count), sizeof(*(list)))

/* The value of an enumeration by name; -1 when there is none. */
int record_enum_find(const char *const *names, const char *name);

/* Adds keys, kinds, order and names of the table and all beneath it to a running FNV-1a hash:
 * two builds with the same fingerprint pack alike. Start with RECORD_FINGERPRINT_START. */
#define RECORD_FINGERPRINT_START UINT64_C(0xcbf29ce484222325)
uint64_t record_fingerprint(uint64_t hash, const struct record_table *table);

#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/record_yaml.h"
#include "tests/unit/record_sample.h"

/* What one text reads as. */
struct reading {
	struct sample sample;
	struct record_places places;
	struct yaml_errors errors;
	struct yaml_node *root;
	bool good;
};

static struct reading *read_text(const char *text)
{
	struct reading *r = mem_new(1, sizeof(*r));

	r->errors.file = "f";
	r->root = yaml_tree_parse(text, strlen(text), &r->errors);
	if (r->root)
		r->good = record_yaml_read(&sample_table, &r->sample, r->root, &r->places,
					   &r->errors);
	return r;
}

static void reading_free(struct reading *r)
{
	record_release(&sample_table, &r->sample);
	record_places_release(&r->places);
	yaml_errors_release(&r->errors);
	yaml_tree_free(r->root);
	free(r);
}

static struct reading *read_good(const char *text)
{
	struct reading *r = read_text(text);

	if (!r->good)
		fail_msg("'%s': %s", text, r->errors.lines[0]);
	assert_int_equal(r->errors.count, 0);
	return r;
}

static void every_kind_is_read_in_block_style(void **state)
{
	struct reading *r = read_good("name: 'a b'\n"
				      "flag: false\n"
				      "mode: true\n"
				      "percent: 10%\n"
				      "size: 64KiB\n"
				      "offset: -5\n"
				      "ratio: -1.5e3\n"
				      "inner:\n"
				      "  count: 9\n"
				      "  wait: 1.5s\n"
				      "maybe: {}\n"
				      "names:\n"
				      "  - x\n"
				      "  - \"010\"\n"
				      "labels:\n"
				      "  os: linux\n"
				      "  rack: 010\n"
				      "parts:\n"
				      "  p0:\n"
				      "    size: 1MiB\n"
				      "    parts: [p1]\n"
				      "steps:\n"
				      "  - count: 1\n");
	const struct sample *s = &r->sample;

	(void)state;
	assert_string_equal(s->name, "a b");
	assert_false(s->flag);
	assert_int_equal(s->mode, SAMPLE_MODE_TRUE);
	assert_int_equal(s->percent, 10);
	assert_int_equal(s->size, 65536);
	assert_true(s->offset == -5);
	assert_true(s->ratio == -1500.0);
	assert_int_equal(s->inner.count, 9);
	assert_int_equal(s->inner.wait, 1500000000);
	assert_int_equal(s->maybe->count, 4);
	assert_int_equal(s->names_count, 2);
	assert_string_equal(s->names[1].name, "010");
	assert_string_equal(s->labels[1].name, "rack");
	assert_string_equal(s->labels[1].value, "010");
	assert_string_equal(s->parts[0].name, "p0");
	assert_int_equal(s->parts[0].size, 1 << 20);
	assert_string_equal(s->parts[0].parts[0].name, "p1");
	assert_int_equal(s->steps_count, 1);
	reading_free(r);
}

static void flow_style_reads_the_same(void **state)
{
	struct reading *r = read_good("{\"name\": x, inner: {count: 9}, labels: {os: linux}, "
				      "parts: {p0: {size: 1MiB}, p1: {}}, steps: [{}, {}]}");

	(void)state;
	assert_int_equal(r->sample.inner.count, 9);
	assert_string_equal(r->sample.labels[0].value, "linux");
	assert_string_equal(r->sample.parts[1].name, "p1");
	assert_int_equal(r->sample.steps_count, 2);
	reading_free(r);
}

static void what_is_absent_has_its_fallback(void **state)
{
	struct reading *r = read_good("name: x\nparts: {p: {}}\n");
	const struct sample *s = &r->sample;

	(void)state;
	assert_true(s->flag);
	assert_int_equal(s->mode, SAMPLE_MODE_PREFER);
	assert_int_equal(s->size, 0);
	assert_int_equal(s->inner.count, 4); /* of the record inside, which is absent too */
	assert_null(s->maybe);
	assert_int_equal(s->names_count, 2);
	assert_string_equal(s->names[1].name, "two");
	assert_null(s->labels);
	assert_int_equal(s->parts[0].size, 131072);
	assert_int_equal(s->total, 0);
	reading_free(r);
}

/* One fault a text; the whole line is wanted. */
static void faults_name_place_path_and_what_is_legal(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		/* shape */
		{"[x]", "f:1:1: a list is found: takes a map (sample)"},
		{"x", "f:1:1: 'x' is one value: takes a map (sample)"},
		{"name: [x]", "f:1:7: name: a list is found: takes text"},
		{"name: {a: b}", "f:1:7: name: a map is found: takes text"},
		{"name: x\ninner: 5", "f:2:8: inner: '5' is one value: takes a map (inner)"},
		{"name: x\nmaybe: [1]", "f:2:8: maybe: a list is found: takes a map (inner)"},
		{"name: x\nnames: y", "f:2:8: names: 'y' is one value: takes a list: [y]"},
		{"name: x\nnames: [[y]]", "f:2:9: names[0]: a list is found: takes text"},
		{"name: x\nlabels: [y]", "f:2:9: labels: a list is found: takes a map: {a: b}"},
		{"name: x\nparts: {p: 1}", "f:2:12: parts.p: '1' is one value: takes a map (part)"},
		{"name: x\nsteps: [5]", "f:2:9: steps[0]: '5' is one value: takes a map (inner)"},
		{"name: x\nparts: [{name: p}]",
		 "f:2:8: parts: a list is found: takes a map by name (part)"},
		/* nothing there */
		{"name:", "f:1:6: name: no value: takes text"},
		{"name: ~", "f:1:7: name: no value: takes text"},
		{"name: null", "f:1:7: name: no value: takes text"},
		{"name: ''", "f:1:7: name: is empty: takes text"},
		{"name: x\nsize:", "f:2:6: size: no value: takes bytes (64KiB)"},
		{"name: x\ninner:", "f:2:7: inner: no value: takes a map (inner)"},
		{"name: x\nnames: [~]", "f:2:9: names[0]: no value: takes text"},
		{"name: x\nparts:\n  p:\n", "f:3:5: parts.p: no value: takes a map (part)"},
		{"name: x\nlabels: {os: }", "f:2:14: labels.os: no value: takes text"},
		{"name: x\nlabels: {'': y}", "f:2:10: labels.: the name: is empty: takes text"},
		/* missing and unknown */
		{"flag: true", "f:1:1: 'name' is missing: takes text"},
		{"nmae: x\nname: x", "f:1:1: nmae: unknown key; nearest is 'name'"},
		{"name: x\nSize: 4", "f:2:1: Size: unknown key; nearest is 'size'"},
		{"name: x\ninner: {zzz: 1}",
		 "f:2:9: inner.zzz: unknown key; legal are count, wait"},
		{"name: x\ntotal: 5",
		 "f:2:1: total: unknown key; legal are name, flag, mode, percent, size, offset, "
		 "ratio, inner, maybe, names, labels, parts, steps"},
		{"name: x\nparts: {p: {name: q}}",
		 "f:2:13: parts.p.name: unknown key; legal are size, parts"},
		/* bool and names */
		{"name: x\nflag: yes", "f:2:7: flag: 'yes' is neither: takes true or false"},
		{"name: x\nflag: True", "f:2:7: flag: 'True' is neither: takes true or false"},
		{"name: x\nflag: 1", "f:2:7: flag: '1' is neither: takes true or false"},
		{"name: x\nflag: 'true'", "f:2:7: flag: 'true' is quoted and so text; leave the "
					  "quotes out: takes true or false"},
		{"name: x\nmode: pref", "f:2:7: mode: 'pref' is unknown: takes one of true, "
					"prefer, false; nearest is 'prefer'"},
		{"name: x\nmode: zzzz",
		 "f:2:7: mode: 'zzzz' is unknown: takes one of true, prefer, false"},
		/* numbers */
		{"name: x\ninner: {count: 0}", "f:2:16: inner.count: '0' is out of range: takes a "
					       "whole number, 1 to 1024"},
		{"name: x\ninner: {count: 1025}", "f:2:16: inner.count: '1025' is out of range: "
						  "takes a whole number, 1 to 1024"},
		{"name: x\npercent: 101%",
		 "f:2:10: percent: '101%' is out of range: takes a share (10%), at most 100%"},
		{"name: x\nparts: {p: {size: 100}}", "f:2:19: parts.p.size: '100' is out of range: "
						     "takes bytes (64KiB), 512 to 1GiB"},
		{"name: x\ninner: {count: \"010\"}",
		 "f:2:16: inner.count: '010' is quoted and so text; leave the quotes out: takes a "
		 "whole number, 1 to 1024"},
		{"name: x\nratio: .nan",
		 "f:2:8: ratio: '.nan' is not a finite decimal number: takes a number"},
		{"name: x\nratio: inf",
		 "f:2:8: ratio: 'inf' is not a finite decimal number: takes a number"},
		{"name: x\nratio: 0x10",
		 "f:2:8: ratio: '0x10' is not a finite decimal number: takes a number"},
		{"name: x\nratio: 1e999",
		 "f:2:8: ratio: '1e999' is not a finite decimal number: takes a number"},
		{"name: x\nratio: 010",
		 "f:2:8: ratio: '010' is not a finite decimal number: takes a number"},
		{"name: x\noffset: 9223372036854775808",
		 "f:2:9: offset: '9223372036854775808' is out of range: takes a whole number, at "
		 "most 9223372036854775807"},
		/* text */
		{"name: \"a\\nb\"",
		 "f:1:7: name: 'a?b' holds a line end or control character: takes text"},
		{"name: |\n  a\n", "f:1:7: name: 'a?' holds a line end or control character: takes "
				   "text"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct reading *r = read_text(cases[i].text);
		const char *line = r->errors.count ? r->errors.lines[0] : "no error";
		if (r->good || r->errors.count != 1 || strcmp(line, cases[i].want) != 0)
			fail_msg("case %zu '%s': %u errors\n got '%s'\nwant '%s'", i, cases[i].text,
				 r->errors.count, line, cases[i].want);
		reading_free(r);
	}
}

/* That these are refused, at the value; the words are those of units.c. */
static void faulty_numbers_are_refused_at_their_place(void **state)
{
	static const struct {
		const char *text, *place;
	} cases[] = {
		{"name: x\ninner: {count: 010}", "f:2:16: inner.count: "},
		{"name: x\ninner: {count: -1}", "f:2:16: inner.count: "},
		{"name: x\ninner: {count: +1}", "f:2:16: inner.count: "},
		{"name: x\ninner: {count: 0x10}", "f:2:16: inner.count: "},
		{"name: x\ninner: {count: 1.5}", "f:2:16: inner.count: "},
		{"name: x\ninner: {count: 4k}", "f:2:16: inner.count: "},
		{"name: x\ninner: {count: true}", "f:2:16: inner.count: "},
		{"name: x\ninner: {wait: 5}", "f:2:15: inner.wait: "},
		{"name: x\ninner: {wait: 5 parsecs}", "f:2:15: inner.wait: "},
		{"name: x\nsize: 4KiBs", "f:2:7: size: "},
		{"name: x\nsize: -4KiB", "f:2:7: size: "},
		{"name: x\nsize: 99999999999TiB", "f:2:7: size: "},
		{"name: x\noffset: --5", "f:2:9: offset: "},
		{"name: x\noffset: -010", "f:2:9: offset: "},
		{"name: x\npercent: 10", "f:2:10: percent: "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct reading *r = read_text(cases[i].text);
		const char *line = r->errors.count ? r->errors.lines[0] : "no error";
		if (r->good || strncmp(line, cases[i].place, strlen(cases[i].place)) != 0)
			fail_msg("'%s': '%s'", cases[i].text, line);
		reading_free(r);
	}
}

static void all_faults_are_told_at_once(void **state)
{
	struct reading *r = read_text("flga: true\n"
				      "flag: maybe\n"
				      "flag: true\n"
				      "inner: {count: 0, wiat: 1s}\n"
				      "parts:\n"
				      "  p0: {size: 1}\n"
				      "  p1: {size: 2, parts: q}\n");
	static const char *const places[] = {
		"f:3:1: ",
		"f:1:1: flga: ",
		"f:1:1: 'name'",
		"f:2:7: flag: ",
		"f:4:19: ",
		"f:4:16: inner.count: ",
		"f:6:14: parts.p0.size",
		"f:7:14: parts.p1.size",
		"f:7:24: ",
	};

	(void)state;
	assert_false(r->good);
	assert_int_equal(r->errors.count, sizeof(places) / sizeof(places[0]));
	for (uint32_t i = 0; i < r->errors.count; i++)
		if (strncmp(r->errors.lines[i], places[i], strlen(places[i])) != 0)
			fail_msg("line %u is '%s', not '%s'", i, r->errors.lines[i], places[i]);
	reading_free(r);
}

static void an_inherited_fault_is_told_once(void **state)
{
	static const char text[] = "name: x\nsteps: [{}, {}, {}]\n";
	struct yaml_errors errors = {.file = "f"};
	struct yaml_node *root = yaml_tree_parse(text, strlen(text), &errors);
	struct yaml_node *defaults = yaml_tree_parse("{count: 0, wat: 1}", 18, &errors);
	struct yaml_node *steps = yaml_tree_find(root, "steps");
	struct sample sample = {0};

	(void)state;
	for (uint32_t i = 0; i < steps->count; i++)
		yaml_tree_inherit(steps->items[i], defaults);
	assert_false(record_yaml_read(&sample_table, &sample, root, NULL, &errors));
	assert_int_equal(errors.count, 2);
	yaml_tree_free(root);
	yaml_tree_free(defaults);
	yaml_errors_release(&errors);
	record_release(&sample_table, &sample);
}

static void a_fault_from_the_command_line_says_so(void **state)
{
	struct yaml_errors errors = {.file = "f"};
	struct yaml_node *root = yaml_tree_parse("name: x", 7, &errors);
	struct sample sample = {0};

	(void)state;
	assert_true(yaml_tree_set(root, "inner.count", "0", &errors));
	assert_true(yaml_tree_set(root, "flga", "true", &errors));
	assert_false(record_yaml_read(&sample_table, &sample, root, NULL, &errors));
	assert_int_equal(errors.count, 2);
	assert_string_equal(errors.lines[0], "--set flga: unknown key; nearest is 'flag'");
	assert_string_equal(
		errors.lines[1],
		"--set inner.count: '0' is out of range: takes a whole number, 1 to 1024");
	yaml_tree_free(root);
	yaml_errors_release(&errors);
	record_release(&sample_table, &sample);
}

static void assert_place(const struct reading *r, const void *member, uint32_t line,
			 uint32_t column)
{
	const struct record_place *place = record_places_find(&r->places, member);

	assert_non_null(place);
	assert_int_equal(place->line, line);
	assert_int_equal(place->column, column);
}

static void places_are_those_of_values_and_of_records(void **state)
{
	struct reading *r = read_good("name: x\n"
				      "inner: {wait: 1s}\n"
				      "maybe:\n"
				      "  wait: 2s\n"
				      "names: [a, b]\n"
				      "labels: {os: linux}\n"
				      "parts:\n"
				      "  p0: {size: 4k}\n"
				      "  p1: {}\n"
				      "steps:\n"
				      "  - {wait: 3s}\n"
				      "  - wait: 4s\n"
				      "    count: 7\n");
	struct sample *s = &r->sample;

	(void)state;
	assert_place(r, &s->name, 1, 7);  /* the record begins at 1:1, but its member was written */
	assert_place(r, &s->inner, 2, 8); /* its first member was not */
	assert_place(r, &s->inner.wait, 2, 15);
	assert_place(r, &s->maybe, 4, 3);
	assert_place(r, s->maybe, 4, 3);
	assert_place(r, &s->names, 5, 8);
	assert_place(r, &s->names[1], 5, 12);
	assert_place(r, &s->names[1].name, 5, 12);
	assert_place(r, &s->labels[0].value, 6, 14);
	assert_place(r, &s->parts, 8, 3);
	assert_place(r, &s->parts[0], 8, 3); /* by name: the key */
	assert_place(r, &s->parts[0].size, 8, 14);
	assert_place(r, &s->parts[1], 9, 3);
	assert_place(r, &s->steps[0], 11, 5);
	assert_place(r, &s->steps[1], 13, 12); /* its first member was written */
	assert_place(r, &s->steps[1].wait, 12, 11);
	assert_null(record_places_find(&r->places, &s->flag));
	assert_null(record_places_find(&r->places, &s->steps[0].wait + 100));
	assert_null(record_places_find(&(struct record_places){0}, s));
	reading_free(r);
}

static void a_required_list_is_not_empty(void **state)
{
	struct list {
		struct name *names;
		uint32_t names_count;
	} list = {0};
	static const struct record_row rows[] = {
		{MEMBER_LIST(struct list, names, name_table), .required = true},
	};
	static const struct record_table table = RECORD_TABLE(struct list, "list", rows, "");
	struct yaml_errors errors = {.file = "f"};
	struct yaml_node *root = yaml_tree_parse("names: []", 9, &errors);

	(void)state;
	assert_false(record_yaml_read(&table, &list, root, NULL, &errors));
	assert_string_equal(errors.lines[0], "f:1:8: names: is empty: needs at least one");
	yaml_tree_free(root);
	yaml_errors_release(&errors);
}

/* A file of nothing but unknown keys takes time, but not the square of its size. */
static void a_flood_of_faults_is_counted(void **state)
{
	char *text = mem_new(1 << 20, 1);
	size_t used = 0;

	(void)state;
	for (int i = 0; i < 40000; i++)
		used += (size_t)sprintf(text + used, "nam%d: 1\n", i);
	struct reading *r = read_text(text);
	assert_int_equal(r->errors.count, 100);
	assert_int_equal(r->errors.count + r->errors.left_out, 40001); /* and name is missing */
	reading_free(r);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_is_read_in_block_style),
		cmocka_unit_test(flow_style_reads_the_same),
		cmocka_unit_test(what_is_absent_has_its_fallback),
		cmocka_unit_test(faults_name_place_path_and_what_is_legal),
		cmocka_unit_test(faulty_numbers_are_refused_at_their_place),
		cmocka_unit_test(all_faults_are_told_at_once),
		cmocka_unit_test(an_inherited_fault_is_told_once),
		cmocka_unit_test(a_fault_from_the_command_line_says_so),
		cmocka_unit_test(places_are_those_of_values_and_of_records),
		cmocka_unit_test(a_required_list_is_not_empty),
		cmocka_unit_test(a_flood_of_faults_is_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

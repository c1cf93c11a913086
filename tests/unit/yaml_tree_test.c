#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/yaml_tree.h"

static struct yaml_node *parse(const char *text, struct yaml_errors *errors)
{
	*errors = (struct yaml_errors){.file = "f"};
	return yaml_tree_parse(text, strlen(text), errors);
}

static struct yaml_node *parse_good(const char *text)
{
	struct yaml_errors errors;
	struct yaml_node *root = parse(text, &errors);

	if (!root || errors.count)
		fail_msg("'%s': %s", text, errors.count ? errors.lines[0] : "no tree");
	yaml_errors_release(&errors);
	return root;
}

static void nodes_remember_where_they_stood(void **state)
{
	struct yaml_node *root = parse_good("# plan\n"
					    "name: x\n"
					    "phases:\n"
					    "  - {name: one, size: \"010\"}\n");

	(void)state;
	assert_int_equal(root->line, 2);
	assert_int_equal(root->column, 1);
	const struct yaml_node *phases = yaml_tree_find(root, "phases");
	assert_int_equal(phases->kind, YAML_KIND_SEQUENCE);
	const struct yaml_node *size = yaml_tree_find(phases->items[0], "size");
	assert_string_equal(size->text, "010");
	assert_true(size->quoted);
	assert_int_equal(size->line, 4);
	assert_int_equal(size->column, 23);
	assert_false(yaml_tree_find(root, "name")->quoted);
	assert_null(yaml_tree_find(root, "absent"));
	assert_null(yaml_tree_find(size, "absent"));
	yaml_tree_free(root);
}

/* The errors of a text, each with the place and a part of what it says. */
static void refusals_name_the_place(void **state)
{
	static const struct {
		const char *text, *want, *says;
	} cases[] = {
		{"", "f:1:1: ", "empty"},
		{"# nothing\n", "f:1:1: ", "empty"},
		{"---\n", "f:1:1: ", "empty"},
		{"a: 1\nb: 2\na: 3\n", "f:3:1: ", "'a' is there already, in line 1"},
		{"x:\n  {b: 1, b: 2}\n", "f:2:10: x: ", "'b' is there already"},
		{"p:\n- {}\n- q:\n    b: 1\n    b: 2\n", "f:5:5: p[1].q: ", "'b' is there already"},
		{"a: &x 1\n", "f:1:4: a: ", "anchors"},
		{"a: 1\nb: *x\n", "f:2:4: b: ", "aliases"},
		{"a: !!str 1\n", "f:1:4: a: ", "tags"},
		{"a: !foo {}\n", "f:1:4: a: ", "tags"},
		{"a: 1\n---\nb: 2\n", "f:2:1: ", "second document"},
		{"[a]: 1\n", "f:1:1: ", "a key must be"},
		{"? {a: b}\n: 1\n", "f:1:3: ", "a key must be"},
		{"a: \"x\\0y\"\n", "f:1:4: a: ", "NUL"},
		{"a: 1\n\tb: 2\n", "f:2:1: ", "tab"},
		{"a: [1, 2\nb: 3\n", "f:2:", "not YAML"},
		{"- a\nb: 1\n", "f:2:1: ", "not YAML"},
		{"a: 1\nb: \"x\n", "f:3:1: ", "not YAML"},
		{"a: 1\nb: x\xff\n", "f:2:5: ", "not UTF-8"},
		{"a: @x\n", "f:1:4: ", "not YAML"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct yaml_errors errors;
		struct yaml_node *root = parse(cases[i].text, &errors);
		const char *line = errors.count ? errors.lines[0] : "no error";
		if (strncmp(line, cases[i].want, strlen(cases[i].want)) != 0 ||
		    !strstr(line, cases[i].says))
			fail_msg("case %zu '%s': '%s'", i, cases[i].text, line);
		yaml_tree_free(root);
		yaml_errors_release(&errors);
	}
}

static void all_duplicates_are_told_and_the_first_counts(void **state)
{
	struct yaml_errors errors;
	struct yaml_node *root = parse("a: 1\na: 2\nb: {c: 1, c: 2}\na: 3\n", &errors);

	(void)state;
	assert_non_null(root);
	assert_int_equal(errors.count, 3);
	assert_string_equal(yaml_tree_find(root, "a")->text, "1");
	yaml_tree_free(root);
	yaml_errors_release(&errors);
}

static void sixteen_levels_are_read_and_seventeen_refused(void **state)
{
	char text[64];
	struct yaml_errors errors;

	(void)state;
	for (int levels = 16; levels <= 17; levels++) {
		memset(text, '[', (size_t)levels);
		memset(text + levels, ']', (size_t)levels);
		text[2 * levels] = '\0';
		struct yaml_node *root = parse(text, &errors);
		assert_int_equal(root != NULL, levels == 16);
		assert_int_equal(errors.count, levels == 17);
		if (levels == 17)
			assert_non_null(strstr(errors.lines[0], "f:1:17: "));
		yaml_tree_free(root);
		yaml_errors_release(&errors);
	}
}

/* Files made to hurt end in an error, and soon. */
static void floods_are_refused(void **state)
{
	enum { SIZE = 1 << 20 };
	char *text = mem_new(SIZE + 2, 1);
	struct yaml_errors errors = {.file = "f"};

	(void)state;
	memset(text, '[', SIZE);
	assert_null(yaml_tree_parse(text, SIZE, &errors));
	for (size_t i = 0; i < SIZE; i += 2)
		memcpy(text + i, i ? "a," : " [", 2);
	assert_null(yaml_tree_parse(text, SIZE, &errors));
	memset(text, ' ', SIZE + 1);
	assert_null(yaml_tree_parse(text, SIZE + 1, &errors));
	assert_int_equal(errors.count, 3);
	assert_non_null(strstr(errors.lines[0], "16 levels"));
	assert_non_null(strstr(errors.lines[1], "100000 values"));
	assert_non_null(strstr(errors.lines[2], "1 MiB"));
	yaml_errors_release(&errors);
	free(text);
}

static void files_are_read_and_their_absence_told(void **state)
{
	struct yaml_errors errors = {.file = "/nonexistent/plan.yaml"};
	char path[] = "/tmp/yaml_tree_test.XXXXXX";
	int fd = mkstemp(path);
	FILE *file = fdopen(fd, "w");

	(void)state;
	assert_null(yaml_tree_read("/nonexistent/plan.yaml", &errors));
	assert_string_equal(errors.lines[0],
			    "/nonexistent/plan.yaml: cannot be opened: No such file or directory");
	yaml_errors_release(&errors);
	errors = (struct yaml_errors){0};
	assert_null(yaml_tree_read("/nonexistent/agent.yaml", &errors));
	assert_string_equal(errors.lines[0],
			    "/nonexistent/agent.yaml: cannot be opened: No such file or directory");
	yaml_errors_release(&errors);
	assert_null(yaml_tree_read("/", &errors));
	assert_int_equal(errors.count, 1);
	yaml_errors_release(&errors);
	assert_non_null(file);
	fputs("a: 1\n", file);
	fclose(file);
	struct yaml_node *root = yaml_tree_read(path, &errors);
	assert_non_null(root);
	yaml_tree_free(root);
	remove(path);
}

static void errors_keep_a_line_once_and_a_hundred_at_most(void **state)
{
	struct yaml_errors errors = {.file = "f"};

	(void)state;
	for (uint32_t i = 0; i < 150; i++)
		yaml_errors_add(&errors, i / 2 + 1, 1, "%s", "wrong");
	assert_int_equal(errors.count, 75);
	for (uint32_t i = 0; i < 30; i++)
		yaml_errors_add(&errors, i + 1000, 1, "%s", "wrong");
	assert_int_equal(errors.count, 100);
	assert_int_equal(errors.left_out, 5);
	yaml_errors_release(&errors);
	assert_int_equal(errors.count, 0);
}

static void errors_cannot_drive_the_terminal(void **state)
{
	struct yaml_errors errors = {.file = "f"};

	(void)state;
	yaml_errors_add(&errors, 1, 1, "%s", "a\x1b[31m\n\xff\xc2\x9b\xc3\xa4");
	assert_string_equal(errors.lines[0], "f:1:1: a?[31m?"
					     "??"
					     "\xc3\xa4");
	yaml_errors_release(&errors);
}

/* Sets one path and answers what the tree then has at `find` of `in` (NULL: the root). */
static void a_path_from_the_command_line_is_set(void **state)
{
	static const char text[] = "defaults: {runtime: 60s}\n"
				   "phases:\n"
				   "  - {name: read, size: 1}\n"
				   "  - {name: write.all, size: 2}\n"
				   "t: {vfs.read_max: {x: 1}}\n";
	static const struct {
		const char *path, *value, *check, *key;
	} cases[] = {
		{"defaults.runtime", "5s", "defaults", "runtime"},
		{"defaults.ramp", "1s", "defaults", "ramp"},
		{"phases.read.size", "2x ram", "phases/0", "size"},
		{"phases.write.all.size", "3", "phases/1", "size"},
		{"phases.1.size", "4", "phases/1", "size"},
		{"phases[0].size", "5", "phases/0", "size"},
		{"t.vfs.read_max.x", "6", "t/vfs", "x"},
		{"new.deep", "7", "new", "deep"},
		{"name", "8", NULL, "name"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct yaml_errors errors = {.file = "f"};
		struct yaml_node *root = parse_good(text), *at = root, *value;
		if (!yaml_tree_set(root, cases[i].path, cases[i].value, &errors))
			fail_msg("'%s': %s", cases[i].path, errors.lines[0]);
		const char *check = cases[i].check;
		if (check && strncmp(check, "phases/", 7) == 0)
			at = yaml_tree_find(root, "phases")->items[check[7] - '0'];
		else if (check && strcmp(check, "t/vfs") == 0)
			at = yaml_tree_find(yaml_tree_find(root, "t"), "vfs.read_max");
		else if (check)
			at = yaml_tree_find(root, check);
		value = yaml_tree_find(at, cases[i].key);
		if (!value || strcmp(value->text, cases[i].value) != 0 || value->line)
			fail_msg("'%s' is not set", cases[i].path);
		yaml_tree_free(root);
	}
}

static void a_value_may_be_a_list(void **state)
{
	struct yaml_errors errors = {.file = "f"};
	struct yaml_node *root = parse_good("{a: 1}");

	(void)state;
	assert_true(yaml_tree_set(root, "a", "[x, \"y\"]", &errors));
	const struct yaml_node *list = yaml_tree_find(root, "a");
	assert_int_equal(list->count, 2);
	assert_true(list->items[1]->quoted);
	assert_int_equal(list->items[1]->line, 0);
	yaml_tree_free(root);
}

static void a_mark_of_the_encoding_is_no_content(void **state)
{
	struct yaml_node *root = parse_good("\xef\xbb\xbf"
					    "name: x\n");

	(void)state;
	assert_string_equal(yaml_tree_find(root, "name")->text, "x");
	assert_int_equal(yaml_tree_find(root, "name")->column, 7);
	yaml_tree_free(root);
}

static void a_path_that_leads_nowhere_is_told(void **state)
{
	static const struct {
		const char *path, *value, *says;
	} cases[] = {
		{"a.b", "1", "--set a.b: "},
		{"l.2", "1", "--set l.2: "},
		{"l[0", "1", "--set l[0: "},
		{"l.name", "1", "--set l.name: "},
		{"", "1", "--set : "},
		{".a", "1", "--set .a: "},
		{"m.", "1", "--set m.: "},
		{"a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q", "1", "--set a.b.c"},
		{"m.a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q", "1", "--set m.a.b.c"},
		{"a", "", "--set a: the value is empty"},
		{"n.wriet.size", "1",
		 "--set n.wriet.size: the path leads nowhere from 'wriet.size' on; nearest is "
		 "'write'"},
		{"n.7", "1", "--set n.7: the path leads nowhere from '7' on"},
		{"a", "[1", "--set a: value:2:1: not YAML"},
		{"a", "{b: 1, b: 2}", "--set a: value:1:8: "},
		{"a", "*x", "--set a: value:1:1: aliases"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct yaml_errors errors = {.file = "f"};
		struct yaml_node *root =
			parse_good("a: 1\nl: [x, y]\nm: {}\nn: [{name: read}, {name: write}]\n");
		if (yaml_tree_set(root, cases[i].path, cases[i].value, &errors))
			fail_msg("'%s' is taken", cases[i].path);
		if (!errors.count || strncmp(errors.lines[0], cases[i].says, strlen(cases[i].says)))
			fail_msg("'%s': '%s'", cases[i].path,
				 errors.count ? errors.lines[0] : "no error");
		yaml_tree_free(root);
		yaml_errors_release(&errors);
	}
}

static void inherited_keys_fill_gaps_only(void **state)
{
	struct yaml_node *into = parse_good("{a: 1, b: {c: 2}}");
	struct yaml_node *from = parse_good("{b: {d: 3}, e: [4]}");

	(void)state;
	yaml_tree_inherit(into, from);
	yaml_tree_free(from); /* what was given is a copy */
	assert_int_equal(into->count, 3);
	assert_null(yaml_tree_find(yaml_tree_find(into, "b"), "d"));
	const struct yaml_node *e = yaml_tree_find(into, "e");
	assert_string_equal(e->items[0]->text, "4");
	assert_int_equal(e->column, 16);
	yaml_tree_inherit(into, NULL);
	yaml_tree_inherit(into->items[0], into);
	assert_int_equal(into->items[0]->count, 0);
	yaml_tree_free(into);
}

static void what_is_taken_is_gone_and_more_can_be_added(void **state)
{
	struct yaml_node *root = parse_good("{a: 1, b: 2, c: 3, d: 4, e: 5}");

	(void)state;
	struct yaml_node *b = yaml_tree_take(root, "b");
	assert_string_equal(b->text, "2");
	yaml_tree_free(b);
	assert_null(yaml_tree_take(root, "b"));
	assert_int_equal(root->count, 4);
	assert_string_equal(yaml_tree_find(root, "e")->text, "5");
	for (int i = 0; i < 40; i++)
		yaml_node_append(root, yaml_node_new(YAML_KIND_SCALAR, 0, 0),
				 yaml_node_new(YAML_KIND_SEQUENCE, 0, 0));
	assert_int_equal(root->count, 44);
	for (uint32_t i = 4; i < 44; i++)
		root->keys[i]->text = mem_format("k%u", i);
	assert_non_null(yaml_tree_find(root, "k43"));
	yaml_tree_free(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_remember_where_they_stood),
		cmocka_unit_test(refusals_name_the_place),
		cmocka_unit_test(all_duplicates_are_told_and_the_first_counts),
		cmocka_unit_test(sixteen_levels_are_read_and_seventeen_refused),
		cmocka_unit_test(floods_are_refused),
		cmocka_unit_test(files_are_read_and_their_absence_told),
		cmocka_unit_test(errors_keep_a_line_once_and_a_hundred_at_most),
		cmocka_unit_test(errors_cannot_drive_the_terminal),
		cmocka_unit_test(a_path_from_the_command_line_is_set),
		cmocka_unit_test(a_value_may_be_a_list),
		cmocka_unit_test(a_mark_of_the_encoding_is_no_content),
		cmocka_unit_test(a_path_that_leads_nowhere_is_told),
		cmocka_unit_test(inherited_keys_fill_gaps_only),
		cmocka_unit_test(what_is_taken_is_gone_and_more_can_be_added),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "common/nodeset.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/memory.h"
#include "common/random.h"

/* The names with blanks between, the caller's to free. */
static char *join(const struct nodeset *set)
{
	char *all = mem_text("");

	for (uint32_t i = 0; i < set->count; i++) {
		char *more = mem_format("%s%s%s", all, i ? " " : "", set->names[i]);
		free(all);
		all = more;
	}
	return all;
}

static void parse(struct nodeset *set, const char *text)
{
	struct error err = {0};

	if (nodeset_parse(set, text, &err) < 0)
		fail_msg("'%s' is refused: %s", text, err.text);
}

static void sets_expand_in_order(void **state)
{
	(void)state;
	static const char *const rows[][2] = {
		{"db7", "db7"},
		{"node[01-04,07]", "node01 node02 node03 node04 node07"},
		{"r[1-2]n[1-3]", "r1n1 r1n2 r1n3 r2n1 r2n2 r2n3"},
		{"a[1-2]b[1-2]c[1-2]", "a1b1c1 a1b1c2 a1b2c1 a1b2c2 a2b1c1 a2b1c2 a2b2c1 a2b2c2"},
		{"node[01-16/4]", "node01 node05 node09 node13"},
		{"n[1-3]-ib,x[9-11]", "n1-ib n2-ib n3-ib x9 x10 x11"},
		{"n[1,01,001]", "n1 n01 n001"},
		{"n[08-11]", "n08 n09 n10 n11"},
		{"n[9-11]", "n9 n10 n11"},
		{"n[098-101]", "n098 n099 n100 n101"},
		{"n[01-100/50]", "n01 n51"},
		{"n[3,1]", "n3 n1"},
		{"[1-2]", "1 2"},
		{"a[1][2]", "a12"},
		{"a[5-5]", "a5"},
		{"a b\tc,d , e\n", "a b c d e"},
		{"  a  ", "a"},
		{"stor-a.example.org.", "stor-a.example.org"},
		{"STOR_B,xn--bcher-kva.example", "STOR_B xn--bcher-kva.example"},
		{"n[999999999999999998-999999999999999999]",
		 "n999999999999999998 n999999999999999999"},
		{"node[1-5],!node3", "node1 node2 node4 node5"},
		{"node[1-5]!node3", "node1 node2 node4 node5"},
		{"node[1-5],-node[2-4]", "node1 node5"},
		{"node[1-3] -node[3-9]", "node1 node2"},
		{"a,b,-a,a", "b a"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct nodeset set;
		parse(&set, rows[i][0]);
		char *all = join(&set);
		assert_string_equal(all, rows[i][1]);
		free(all);
		nodeset_release(&set);
	}
}

static void addresses_are_hosts_without_ports(void **state)
{
	(void)state;
	static const char *const rows[][2] = {
		{"192.0.2.10", "192.0.2.10"},
		{"fd01:0:0:3::1c6", "fd01:0:0:3::1c6"},
		{"[fd01:0:0:3::1c8]", "fd01:0:0:3::1c8"},
		{"[fe80::1],[fe80::2]", "fe80::1 fe80::2"},
		{"fe80::1%em0", "fe80::1%em0"},
		{"[FE80:0:0::1%em0] a", "fe80::1%em0 a"},
		{"2001:db8::1:9000", "2001:db8::1:9000"},
		{"::", "::"},
		{"::ffff:192.0.2.1", "::ffff:192.0.2.1"},
		{"a[1-2],[::1],-[::1]", "a1 a2"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct nodeset set;
		parse(&set, rows[i][0]);
		char *all = join(&set);
		assert_string_equal(all, rows[i][1]);
		free(all);
		nodeset_release(&set);
	}
}

/* Each row: a text and how the reason ends. */
static void what_is_wrong_is_said_with_its_place(void **state)
{
	(void)state;
	static const char *const rows[][2] = {
		{"", "nodeset '', character 1: a host name is missing"},
		{"  ", "character 3: a host name is missing"},
		{"a,", "character 3: a host name is missing"},
		{",a", "character 1: a host name is missing"},
		{"a,,b", "character 3: a host name is missing"},
		{"a,-", "character 4: a host name is missing"},
		{"a[3-1]",
		 "nodeset 'a[3-1]', character 3: range '3-1' runs backwards; write '1-3'"},
		{"a[03-01]", "character 3: range '03-01' runs backwards; write '01-03'"},
		{"a[1-3,b]", "character 7: cannot convert 'b' to a number of 1 to 18 digits"},
		{"a[1-", "character 5: ']' is missing"},
		{"a[1", "character 4: ']' is missing"},
		{"a[", "character 3: ']' is missing"},
		{"a[1,", "character 5: ']' is missing"},
		{"a[]", "character 3: cannot convert '' to a number of 1 to 18 digits"},
		{"a[1,,2]", "character 5: cannot convert '' to a number of 1 to 18 digits"},
		{"a[-3]", "character 3: cannot convert '' to a number of 1 to 18 digits"},
		{"a[1-2-3]", "character 6: '-' cannot follow '1-2' in brackets"},
		{"a[1/2]", "character 4: '/' cannot follow '1' in brackets"},
		{"a[1-9/0]", "character 7: a step is at least 1"},
		{"a[1-9/]", "character 7: cannot convert '' to a number of 1 to 18 digits"},
		{"a[1-010]", "character 3: range '1-010' has two widths; write '001-010'"},
		{"a[1 - 3]", "character 3: cannot convert '1 ' to a number of 1 to 18 digits"},
		{"a[1234567890123456789]",
		 "character 3: cannot convert '1234567890123456789' to a number of 1 to 18 digits"},
		{"a]", "character 2: ']' without '[' before it"},
		{"a[1-2]b[", "character 9: ']' is missing"},
		{"a[[1-2]]", "character 3: cannot convert '[1' to a number of 1 to 18 digits"},
		{"a[0-65536]", "character 2: more than 65536 hosts"},
		{"a[0-999999999999999999]", "character 2: more than 65536 hosts"},
		{"a[1-300]b[1-300]", "character 1: more than 65536 hosts"},
		{"a[1-65536],b", "character 12: more than 65536 hosts"},
		{"a,b,a", "character 5: host 'a' is named twice"},
		{"a[1-3],a2", "character 8: host 'a2' is named twice"},
		{"stor-c,stor-c.", "character 8: host 'stor-c' is named twice"},
		{"[fe80::1],[fe80:0::1]", "character 11: host 'fe80::1' is named twice"},
		{"a,!b", "character 3: '!b' excludes none of the hosts before it"},
		{"-a,a", "character 1: '-a' excludes none of the hosts before it"},
		{"a[1-2],!a[1-2]", "character 1: no host is left"},
		{"192.0.2.11:9000",
		 "character 11: a port is not part of a host name; give it as 'port'"},
		{"[fd01:0:0:3::1c7]:9000",
		 "character 18: a port is not part of a host name; give it as 'port'"},
		{"[fe80::1", "character 9: ']' is missing after the address"},
		{"[fe80::1::2]", "character 1: 'fe80::1::2' is not an IPv6 address"},
		{"fe80::1%", "character 1: 'fe80::1%' is not an IPv6 address"},
		{"a:b:c", "character 1: 'a:b:c' is not an IPv6 address"},
		{"a&b",
		 "character 2: '&' cannot be there in a host name; letters, digits, '-', '_' "
		 "and '.' can, and '-' and '.' not first"},
		{"a..b", "character 2: a host name has no empty part"},
		{"a..", "character 2: a host name has no empty part"},
		{".a", "character 1: '.' cannot be there in a host name; letters, digits, '-', '_' "
		       "and '.' can, and '-' and '.' not first"},
		{"@racks", "character 1: '@' cannot be there in a host name; letters, digits, '-', "
			   "'_' and '.' can, and '-' and '.' not first"},
		{"a,--b", "character 4: '-' cannot be there in a host name; letters, digits, '-', "
			  "'_' and '.' can, and '-' and '.' not first"},
		{"b\303\274cher", "character 2: byte 0xc3 cannot be in a host name; write names "
				  "beyond ASCII in their 'xn--' form"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct error err = {0};
		struct nodeset set;
		if (nodeset_parse(&set, rows[i][0], &err) == 0)
			fail_msg("'%s' is not refused", rows[i][0]);
		size_t said = strlen(err.text), want = strlen(rows[i][1]);
		if (said < want || strcmp(err.text + said - want, rows[i][1]) != 0)
			fail_msg("'%s': \"%s\" does not end with \"%s\"", rows[i][0], err.text,
				 rows[i][1]);
		assert_int_equal(err.kind, ERROR_USAGE);
		assert_null(set.names);
	}
}

static void a_name_of_253_characters_is_the_longest(void **state)
{
	(void)state;
	char text[300] = "";
	struct nodeset set;
	struct error err;

	memset(text, 'a', 250);
	strcpy(text + 250, "[098-100]");
	parse(&set, text);
	assert_int_equal(strlen(set.names[2]), 253);
	nodeset_release(&set);
	strcpy(text + 250, "[0098-0100]");
	assert_int_equal(nodeset_parse(&set, text, &err), -1);
	assert_non_null(strstr(err.text, "at most 253 characters"));
	memset(text, 'a', 254);
	text[254] = '\0';
	assert_int_equal(nodeset_parse(&set, text, &err), -1);
}

static void the_limit_itself_is_allowed(void **state)
{
	(void)state;
	struct nodeset set;

	parse(&set, "n[0-65535]");
	assert_int_equal(set.count, 65536);
	assert_string_equal(set.names[65535], "n65535");
	char *text = nodeset_format(&set);
	assert_string_equal(text, "n[0-65535]");
	free(text);
	nodeset_release(&set);
}

static void names_fold(void **state)
{
	(void)state;
	static const char *const rows[][2] = {
		{"a", "a"},
		{"node1 node2 node3 node05 node06 node07", "node[1-3,05-07]"},
		{"n1 n01 n001", "n[1,01,001]"},
		{"n8 n9 n10 n11", "n[8-11]"},
		{"n08 n09 n10 n100", "n[08-10,100]"},
		{"n01 n05 n09 n13", "n[01-13/4]"},
		{"n1 n3 n5", "n[1,3,5]"},
		{"n1 n2", "n[1-2]"},
		{"n3 n2 n1", "n[3,2,1]"},
		{"r1n1 r1n2 r1n3 r2n1 r2n2 r2n3", "r[1-2]n[1-3]"},
		{"r1n1 r2n1 r1n2 r2n2", "r[1-2]n1,r[1-2]n2"},
		{"n1-ib n2-ib x9", "n[1-2]-ib,x9"},
		{"1 2 3", "[1-3]"},
		{"fe80::1 fe80::2 a1", "[fe80::1],[fe80::2],a1"},
		{"192.0.2.1 192.0.2.2", "192.0.2.[1-2]"},
		{"n1234567890123456788 n1234567890123456789",
		 "n1234567890123456788,n1234567890123456789"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct nodeset set;
		parse(&set, rows[i][0]);
		char *text = nodeset_format(&set);
		assert_string_equal(text, rows[i][1]);
		free(text);
		nodeset_release(&set);
	}
}

static void no_hosts_are_an_empty_text(void **state)
{
	(void)state;
	struct nodeset none = {0};
	char *text = nodeset_format(&none);

	assert_string_equal(text, "");
	free(text);
}

/* A name of up to three letters and numbers out of few, so that many fold and some are alike. */
static char *random_name(struct random *r)
{
	char name[64] = "";
	uint64_t parts = 1 + random_below(r, 3);

	for (uint64_t i = 0; i < parts; i++) {
		size_t used = strlen(name);
		snprintf(name + used, sizeof(name) - used, "%c%0*d", "nx"[random_below(r, 2)],
			 (int)random_below(r, 4), (int)random_below(r, 12));
	}
	return mem_text(name);
}

static bool has(const struct nodeset *set, const char *name)
{
	for (uint32_t i = 0; i < set->count; i++)
		if (strcmp(set->names[i], name) == 0)
			return true;
	return false;
}

static void random_set(struct nodeset *set, struct random *r)
{
	uint32_t most = 1 + (uint32_t)random_below(r, 60);

	*set = (struct nodeset){.names = mem_new(most, sizeof(*set->names))};
	for (uint32_t i = 0; i < most; i++) {
		char *name = random_name(r);
		if (has(set, name))
			free(name);
		else
			set->names[set->count++] = name;
	}
}

static void what_is_folded_parses_back(void **state)
{
	(void)state;
	struct random r = {11};

	for (int round = 0; round < 2000; round++) {
		struct nodeset set, back;
		random_set(&set, &r);
		char *text = nodeset_format(&set);
		parse(&back, text);
		assert_int_equal(back.count, set.count);
		for (uint32_t i = 0; i < set.count; i++)
			if (strcmp(back.names[i], set.names[i]) != 0)
				fail_msg("'%s': name %u is '%s', was '%s'", text, i, back.names[i],
					 set.names[i]);
		char *again = nodeset_format(&back);
		assert_string_equal(again, text);
		free(again);
		free(text);
		nodeset_release(&back);
		nodeset_release(&set);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_expand_in_order),
		cmocka_unit_test(addresses_are_hosts_without_ports),
		cmocka_unit_test(what_is_wrong_is_said_with_its_place),
		cmocka_unit_test(a_name_of_253_characters_is_the_longest),
		cmocka_unit_test(the_limit_itself_is_allowed),
		cmocka_unit_test(names_fold),
		cmocka_unit_test(no_hosts_are_an_empty_text),
		cmocka_unit_test(what_is_folded_parses_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

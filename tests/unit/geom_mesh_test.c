/* The mesh of FreeBSD's GEOM, from text as the kernel prints it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/inventory/geom_mesh.h"

#define CLOSED "<mode>r0w0e0</mode>"

/* Two disks in an idle stripe with a label on it, a third with a mounted partition, a memory disk.
 */
static const char mesh_text[] =
	"<mesh>\n"
	"  <class id=\"0x1\">\n    <name>DISK</name>\n"
	"    <geom id=\"0x10\">\n      <class ref=\"0x1\"/>\n      <name>da0</name>\n"
	"      <rank>1</rank>\n"
	"\t<provider id=\"0x100\">\n\t  <geom ref=\"0x10\"/>\n\t  <mode>r0w0e0</mode>\n"
	"\t  <name>da0</name>\n\t  <mediasize>134217728</mediasize>\n"
	"\t  <config>\n\t    <name>not this</name>\n\t    <ident>S1</ident>\n\t  </config>\n"
	"\t</provider>\n    </geom>\n"
	"    <geom id=\"0x11\"><class ref=\"0x1\"/><name>da1</name>"
	"<provider id=\"0x101\">" CLOSED "<geom ref=\"0x11\"/><name>da1</name></provider></geom>\n"
	"    <geom id=\"0x12\"><class ref=\"0x1\"/><name>da2</name>"
	"<provider id=\"0x102\">" CLOSED "<geom ref=\"0x12\"/><name>da2</name></provider></geom>\n"
	"  </class>\n"
	"  <class id=\"0x2\"><name>STRIPE</name>\n"
	"    <geom id=\"0x20\"><class ref=\"0x2\"/><name>st0</name>"
	"<config><Mode>AUTOMATIC</Mode><ID>2460314867</ID></config>\n"
	"      <consumer id=\"0x200\"><geom ref=\"0x20\"/><provider ref=\"0x100\"/>"
	"<mode>r0w0e0</mode><config><ID>7</ID></config></consumer>\n"
	"      <consumer id=\"0x201\">" CLOSED
	"<geom ref=\"0x20\"/><provider ref=\"0x101\"/></consumer>\n"
	"      <provider id=\"0x210\">" CLOSED
	"<geom ref=\"0x20\"/><name>stripe/st0</name></provider>\n"
	"    </geom></class>\n"
	"  <class id=\"0x3\"><name>LABEL</name>\n"
	"    <geom id=\"0x30\"><name>stripe/st0</name>"
	"<consumer id=\"0x300\">" CLOSED "<provider ref=\"0x210\"/></consumer>"
	"<provider id=\"0x310\">" CLOSED "<name>ufs/a&#x26;b &#xC3;&#xBC; "
	"&#x27;</name></provider></geom></class>\n"
	"  <class id=\"0x4\"><name>PART</name>\n"
	"    <geom id=\"0x40\"><name>da2</name>"
	"<consumer id=\"0x400\">" CLOSED "<provider ref=\"0x102\"/></consumer>"
	"<provider id=\"0x410\">" CLOSED
	"<name>da2p1</name><config><start>40</start><end>1063</end>"
	"<type>freebsd-ufs</type><offset>20480</offset><length>524288</length></config>"
	"</provider></geom></class>\n"
	"  <class id=\"0x5\"><name>VFS</name>\n"
	"    <geom id=\"0x50\"><name>ffs.da2p1</name>"
	"<consumer id=\"0x500\">" CLOSED "<provider ref=\"0x410\"/></consumer></geom></class>\n"
	"  <class id=\"0x6\"><name>MD</name>\n"
	"    <geom id=\"0x60\"><name>md0</name><provider id=\"0x600\">" CLOSED "<name>md0</name>"
	"<config><type>malloc</type></config></provider></geom></class>\n"
	"  <class id=\"0x7\"><name>EMPTY</name></class>\n"
	"</mesh>\n";

static uint32_t find(const struct geom_mesh *mesh, const char *name)
{
	int64_t found = geom_mesh_find(mesh, name);

	if (found < 0)
		fail_msg("no provider %s", name);
	return (uint32_t)found;
}

static void the_mesh_is_as_written(void **state)
{
	struct geom_mesh mesh;

	(void)state;
	assert_true(geom_mesh_parse(&mesh, mesh_text));
	assert_int_equal(mesh.providers_count, 7);
	assert_int_equal(mesh.geoms_count, 8);
	assert_int_equal(mesh.consumers_count, 5);
	assert_int_equal(find(&mesh, "/dev/da1"), find(&mesh, "da1"));
	assert_int_equal(geom_mesh_find(&mesh, "da3"), -1);
	assert_int_equal(geom_mesh_find(&mesh, ""), -1);
	const struct geom_provider *stripe = &mesh.providers[find(&mesh, "stripe/st0")];
	assert_string_equal(mesh.geoms[stripe->geom].class_name, "STRIPE");
	assert_string_equal(mesh.geoms[stripe->geom].id, "2460314867");
	assert_string_equal(mesh.providers[find(&mesh, "md0")].type, "malloc");
	const struct geom_provider *part = &mesh.providers[find(&mesh, "da2p1")];
	assert_int_equal(part->offset, 20480);
	assert_int_equal(part->length, 524288);
	assert_int_equal(mesh.providers[find(&mesh, "da2")].length, 0);
	find(&mesh, "ufs/a&b \xc3\xbc '");
	geom_mesh_release(&mesh);
}

static void a_stripe_lies_on_its_disks(void **state)
{
	struct geom_mesh mesh;
	struct geom_set beneath = {0}, above = {0};

	(void)state;
	assert_true(geom_mesh_parse(&mesh, mesh_text));
	geom_mesh_add_beneath(&mesh, find(&mesh, "stripe/st0"), &beneath);
	assert_int_equal(beneath.count, 2);
	assert_true(geom_set_has(&beneath, find(&mesh, "da0")));
	assert_true(geom_set_has(&beneath, find(&mesh, "da1")));
	geom_mesh_add_above(&mesh, find(&mesh, "da0"), &above);
	assert_int_equal(above.count, 1);
	assert_true(geom_set_has(&above, find(&mesh, "stripe/st0")));
	geom_set_release(&beneath);
	geom_mesh_add_beneath(&mesh, find(&mesh, "da0"), &beneath);
	assert_int_equal(beneath.count, 0);
	geom_set_release(&beneath);
	geom_set_release(&above);
	geom_mesh_release(&mesh);
}

static void who_uses_a_provider_is_told(void **state)
{
	static const struct {
		const char *provider, *user;
		bool view;
	} rows[] = {
		{"da0", "STRIPE", false}, {"stripe/st0", "LABEL", true}, {"da2", "PART", true},
		{"da2p1", "VFS", false},  {"md0", NULL, false},
	};
	struct geom_mesh mesh;

	(void)state;
	assert_true(geom_mesh_parse(&mesh, mesh_text));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t at = 0, provider = find(&mesh, rows[i].provider);
		const struct geom_geom *user = geom_mesh_user(&mesh, provider, &at);
		if (!rows[i].user) {
			assert_null(user);
			continue;
		}
		assert_non_null(user);
		assert_string_equal(user->class_name, rows[i].user);
		assert_int_equal(geom_class_is_view(user->class_name), rows[i].view);
		assert_null(geom_mesh_user(&mesh, provider, &at));
	}
	geom_mesh_release(&mesh);
}

static void what_is_cut_off_or_else_is_no_mesh(void **state)
{
	static const char *const rows[] = {
		"",
		"mesh",
		"<",
		"<>",
		"</mesh>",
		"<mesh>",
		"<html></html>",
		"<mesh></class></mesh>",
		"<mesh><geom id=\"1\"></geom></mesh>",
		"<mesh><class><consumer></consumer></class></mesh>",
		"<provider ref=\"0x1\"/>",
	};
	struct geom_mesh mesh;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (geom_mesh_parse(&mesh, rows[i]))
			fail_msg("taken: %s", rows[i]);
	/* Every shorter text than the whole (but for the line end) is refused. */
	char *text = strdup(mesh_text);
	for (size_t length = strlen(text) - 2; length > 0; length--) {
		text[length] = '\0';
		if (geom_mesh_parse(&mesh, text))
			fail_msg("taken at %zu bytes", length);
	}
	free(text);
}

static void what_is_open_for_writing_is_counted(void **state)
{
	static const struct {
		const char *mode;
		int64_t writers; /* -1: no mesh */
	} rows[] = {
		{"<mode>r0w0e0</mode>", 0},
		{"<mode>r9w0e9</mode>", 0},
		{"<mode>r0w1e0</mode>", 1},
		{"<mode>r3w12e4</mode>", 12},
		{"<mode>r0w2147483647e0</mode>", INT32_MAX},
		{"<mode>r0w2147483648e0</mode>", -1},
		{"<mode>r0w99999999999999999999e0</mode>", -1},
		{"<mode>r0w-1e0</mode>", -1},
		{"<mode>r0we0</mode>", -1},
		{"<mode>r0w+1e0</mode>", -1},
		{"<mode>r0w 1e0</mode>", -1},
		{"<mode>r0w1</mode>", -1},
		{"<mode>r0w1e</mode>", -1},
		{"<mode>w1r0e0</mode>", -1},
		{"<mode>r0w1e0 </mode>", -1},
		{"<mode></mode>", -1},
		{"<mode/>", -1},
		{"", -1},
		{"<config><mode>r0w0e0</mode></config>", -1},
	};
	struct geom_mesh mesh;
	char text[512];

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(rows) / sizeof(rows[0]); i++) {
		bool consumer = i % 2;
		const char *mode = rows[i / 2].mode;
		snprintf(text, sizeof(text),
			 "<mesh><class><geom><consumer id=\"2\"><provider ref=\"1\"/>%s</consumer>"
			 "<provider id=\"1\">%s</provider></geom></class></mesh>",
			 consumer ? mode : CLOSED, consumer ? CLOSED : mode);
		bool parsed = geom_mesh_parse(&mesh, text);
		int64_t writers = -1;
		if (parsed)
			writers = consumer ? mesh.consumers[0].writers : mesh.providers[0].writers;
		if (writers != rows[i / 2].writers)
			fail_msg("%s: %lld", text, (long long)writers);
		geom_mesh_release(&mesh);
	}
}

static void what_is_no_number_of_a_byte_stays(void **state)
{
	static const struct {
		const char *written, *name;
	} rows[] = {
		{"a&#x26;b", "a&b"},  {"&#xFF;", "\xff"},
		{"a&#x26", "a&#x26"}, {"&#x;", "&#x;"},
		{"&#x0;", "&#x0;"},   {"&#x100;", "&#x100;"},
		{"&#x-1;", "&#x-1;"}, {"&#x 41;", "&#x 41;"},
		{"&amp;", "&amp;"},   {"&#x&#x41;", "&#xA"},
		{"&", "&"},
	};
	struct geom_mesh mesh;
	char text[256];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(text, sizeof(text),
			 "<mesh><class><geom><provider id=\"1\">" CLOSED
			 "<name>%s</name></provider></geom>"
			 "</class></mesh>",
			 rows[i].written);
		assert_true(geom_mesh_parse(&mesh, text));
		assert_string_equal(mesh.providers[0].name, rows[i].name);
		geom_mesh_release(&mesh);
	}
}

static void names_too_long_are_cut(void **state)
{
	struct geom_mesh mesh;
	char text[2048], name[600];

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	snprintf(text, sizeof(text),
		 "<mesh><class><name>%s</name><geom><name>%s</name><provider id=\"1\">" CLOSED
		 "<name>%s"
		 "</name></provider></geom></class></mesh>",
		 name, name, name);
	assert_true(geom_mesh_parse(&mesh, text));
	assert_int_equal(strlen(mesh.providers[0].name), sizeof(mesh.providers[0].name) - 1);
	geom_mesh_release(&mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_mesh_is_as_written),
		cmocka_unit_test(a_stripe_lies_on_its_disks),
		cmocka_unit_test(who_uses_a_provider_is_told),
		cmocka_unit_test(what_is_cut_off_or_else_is_no_mesh),
		cmocka_unit_test(what_is_open_for_writing_is_counted),
		cmocka_unit_test(what_is_no_number_of_a_byte_stays),
		cmocka_unit_test(names_too_long_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

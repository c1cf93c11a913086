/* Which of GEOM's providers share bytes, and who has them open for writing: on what a FreeBSD 12.1
 * with a stripe and a mirror printed, and on disks with partitions and labels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/inventory/geom_family.h"
#include "common/memory.h"

static uint32_t find(const struct geom_mesh *mesh, const char *name)
{
	int64_t found = geom_mesh_find(mesh, name);

	if (found < 0)
		fail_msg("no provider %s", name);
	return (uint32_t)found;
}

/* All writers of a provider's family as sentences, "; " between. */
static void tell_writers(const struct geom_mesh *mesh, const char *provider, char *text,
			 size_t size)
{
	struct geom_family family;
	struct geom_writer writer;

	text[0] = '\0';
	geom_family_find(&family, mesh, find(mesh, provider));
	for (uint32_t at = 0; geom_family_writer(&family, mesh, &at, &writer);) {
		char sentence[256];
		geom_writer_format(&family, mesh, &writer, sentence, sizeof(sentence));
		size_t used = strlen(text);
		snprintf(text + used, size - used, "%s%s", used ? "; " : "", sentence);
	}
	geom_family_release(&family);
}

static void check_writers(const char *text, const char *provider, const char *want)
{
	struct geom_mesh mesh;
	char found[1024];

	assert_true(geom_mesh_parse(&mesh, text));
	tell_writers(&mesh, provider, found, sizeof(found));
	if (strcmp(found, want) != 0)
		fail_msg("%s: '%s', wanted is '%s'", provider, found, want);
	geom_mesh_release(&mesh);
}

/* ---- as the kernel printed it ---- */

static char *read_real(void)
{
	FILE *file = fopen(TEST_DATA "/fuzz/corpus/geom_mesh_fuzz/ok-stripe-and-mirror", "r");
	char *text = mem_new(1 << 16, 1);

	assert_non_null(file);
	assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
	fclose(file);
	return text;
}

/* Has the first consumer of that geom open in another mode of the same length. */
static void set_mode(char *text, const char *class_name, const char *geom, const char *mode)
{
	char name[128];

	snprintf(name, sizeof(name), "<name>%s</name>", class_name);
	char *at = strstr(text, name);
	snprintf(name, sizeof(name), "<name>%s</name>", geom);
	at = at ? strstr(at, name) : NULL;
	at = at ? strstr(at, "<mode>") : NULL;
	assert_non_null(at);
	memcpy(at + strlen("<mode>"), mode, strlen("r0w0e0"));
}

static void an_open_for_writing_is_told_of_all_that_it_reaches(void **state)
{
	static const struct {
		const char *node, *provider, *want; /* want after the node's name; NULL: nothing */
	} rows[] = {
		{"vtbd1", "vtbd1", ""},
		{"vtbd1", "diskid/DISK-MUSTER00001",
		 ", which has bytes of diskid/DISK-MUSTER00001,"},
		{"vtbd1", "stripe/st0", ", which has bytes of stripe/st0,"},
		{"diskid/DISK-MUSTER00002", "stripe/st0", ", which has bytes of stripe/st0,"},
		{"stripe/st0", "stripe/st0", ""},
		{"ufsid/6b0d9a46b026382a", "stripe/st0", ", which has bytes of stripe/st0,"},
		{"ufsid/6b0d9a46b026382a", "vtbd2", ", which has bytes of vtbd2,"},
		{"mirror/gm0", "mirror/gm0", ""},
		{"mirror/gm0", "vtbd4", ", which has bytes of vtbd4,"},
		{"vtbd3", "mirror/gm0", ", which has bytes of mirror/gm0,"},
		{"vtbd1", "vtbd2", NULL}, /* written through the stripe alone */
		{"vtbd3", "vtbd1", NULL},
		{"mirror/gm0", "stripe/st0", NULL},
		{"vtbd0", "stripe/st0", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *text = read_real(), want[300] = "";
		check_writers(text, rows[i].provider, "");
		set_mode(text, "DEV", rows[i].node, "r9w0e9");
		check_writers(text, rows[i].provider, "");
		set_mode(text, "DEV", rows[i].node, "r0w1e0");
		if (rows[i].want)
			snprintf(want, sizeof(want),
				 "%s%s is open for writing (fuser /dev/%s may say by what)",
				 rows[i].node, rows[i].want, rows[i].node);
		check_writers(text, rows[i].provider, want);
		free(text);
	}
}

/* Swap on the mirror has it, and the mirror has its disks, open for writing. */
static void what_uses_a_provider_is_no_writer_of_it_beside(void **state)
{
	struct geom_mesh mesh;
	char *text = read_real();

	(void)state;
	check_writers(text, "mirror/gm0", "");
	check_writers(text, "vtbd3", "");
	assert_true(geom_mesh_parse(&mesh, text));
	assert_int_equal(mesh.providers[find(&mesh, "mirror/gm0")].writers, 1);
	assert_int_equal(mesh.providers[find(&mesh, "vtbd3")].writers, 1);
	assert_int_equal(mesh.providers[find(&mesh, "vtbd1")].writers, 0);
	geom_mesh_release(&mesh);
	free(text);
}

static void all_names_of_the_same_bytes_are_one_family(void **state)
{
	static const struct {
		const char *provider, *other;
		bool full, beneath;
	} rows[] = {
		{"vtbd1", "vtbd1", true, false},
		{"vtbd1", "diskid/DISK-MUSTER00001", true, false},
		{"diskid/DISK-MUSTER00001", "vtbd1", true, false},
		{"vtbd1", "stripe/st0", true, false},
		{"vtbd1", "ufsid/6b0d9a46b026382a", true, false},
		{"vtbd1", "vtbd2", false, false},
		{"ufsid/6b0d9a46b026382a", "stripe/st0", true, false},
		{"ufsid/6b0d9a46b026382a", "vtbd2", false, true},
		{"stripe/st0", "diskid/DISK-MUSTER00002", false, true},
		{"stripe/st0", "vtbd3", false, false},
	};
	struct geom_mesh mesh;
	char *text = read_real();

	(void)state;
	assert_true(geom_mesh_parse(&mesh, text));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct geom_family family;
		geom_family_find(&family, &mesh, find(&mesh, rows[i].provider));
		uint32_t other = find(&mesh, rows[i].other);
		if (geom_set_has(&family.full, other) != rows[i].full ||
		    geom_set_has(&family.beneath, other) != rows[i].beneath)
			fail_msg("%s and %s", rows[i].provider, rows[i].other);
		geom_family_release(&family);
	}
	geom_mesh_release(&mesh);
	free(text);
}

/* ---- partitions and labels ---- */

/* What stands on what; each provider has a node beside, as DEV gives it. */
struct layer {
	const char *class_name, *name, *on[2];
	uint64_t offset, length;
};
static const struct layer layers[] = {
	{"DISK", "da0", {NULL}, 0, 0},
	{"LABEL", "diskid/one", {"da0"}, 0, 1000},
	{"PART", "da0p1", {"da0"}, 100, 200},
	{"PART", "da0p2", {"da0"}, 300, 200},
	{"LABEL", "gpt/one", {"da0p1"}, 0, 200},
	{"LABEL", "ufs/one", {"da0p1"}, 0, 200},
	{"PART", "diskid/onep2", {"diskid/one"}, 300, 200},
	{"PART", "da0p2a", {"da0p2"}, 0, 50},
	{"PART", "da0p2b", {"da0p2"}, 50, 150},
	{"DISK", "da1", {NULL}, 0, 0},
	{"PART", "da1p1", {"da1"}, 100, 200},
	{"PART", "da1p2", {"da1"}, 300, 200},
	{"STRIPE", "stripe/st", {"gpt/one", "da1p1"}, 0, 0},
	{"PART", "stripe/stp1", {"stripe/st"}, 10, 20},
	{"PART", "stripe/stp2", {"stripe/st"}, 30, 20},
	{"MIRROR", "mirror/gm", {"da0p2b", "da1p2"}, 0, 0},
	{"ELI", "mirror/gm.eli", {"mirror/gm"}, 0, 0},
	{"VFS", "ffs.one", {"ufs/one"}, 0, 0},
};
#define LAYERS (sizeof(layers) / sizeof(layers[0]))

static size_t reference_of(const char *name)
{
	for (size_t i = 0; i < LAYERS; i++)
		if (strcmp(layers[i].name, name) == 0)
			return i + 1;
	fail_msg("no layer %s", name);
	return 0;
}

static void add_layer(char *text, size_t size, const struct layer *layer, const char *opener)
{
	char *at = text + strlen(text), *end = text + size;
	size_t reference = reference_of(layer->name);
	int writers = strcmp(layer->name, opener) == 0;

	at += snprintf(at, (size_t)(end - at), "<class><name>%s</name><geom><name>%s</name>",
		       layer->class_name, layer->name);
	for (int i = 0; i < 2 && layer->on[i]; i++)
		at += snprintf(at, (size_t)(end - at),
			       "<consumer id=\"0x99\"><provider ref=\"%zu\"/>"
			       "<mode>r1w%de0</mode></consumer>",
			       reference_of(layer->on[i]), writers);
	if (strcmp(layer->class_name, "VFS") != 0)
		at += snprintf(at, (size_t)(end - at),
			       "<provider id=\"%zu\"><mode>r0w0e0</mode><name>%s</name><config>"
			       "<offset>%llu</offset><length>%llu</length></config></provider>",
			       reference, layer->name, (unsigned long long)layer->offset,
			       (unsigned long long)layer->length);
	snprintf(at, (size_t)(end - at), "</geom></class>");
}

/* `opener`: the layer that has what it stands on open for writing; `node`: whose node is. */
static char *write_layers(const char *opener, const char *node)
{
	const size_t size = 1 << 16;
	char *text = mem_new(size, 1);

	strcpy(text, "<mesh>");
	for (size_t i = 0; i < LAYERS; i++) {
		add_layer(text, size, &layers[i], opener);
		size_t used = strlen(text);
		snprintf(text + used, size - used,
			 "<class><name>DEV</name><geom><name>%s</name><consumer id=\"0x98\">"
			 "<provider ref=\"%zu\"/><mode>r0w%de0</mode></consumer></geom></class>",
			 layers[i].name, i + 1, strcmp(layers[i].name, node) == 0);
	}
	strcat(text, "</mesh>");
	return text;
}

static void other_bytes_of_a_disk_do_not_count(void **state)
{
	static const struct {
		const char *provider, *node;
		bool counts;
	} rows[] = {
		{"da0p1", "da0p1", true},
		{"da0p1", "gpt/one", true},
		{"da0p1", "ufs/one", true},
		{"da0p1", "da0", true},
		{"da0p1", "diskid/one", true},
		{"da0p1", "stripe/st", true},
		{"da0p1", "stripe/stp2", true},
		{"da0p1", "da0p2", false},
		{"da0p1", "diskid/onep2", false},
		{"da0p1", "mirror/gm", false},
		{"da0p1", "da1", false},
		{"gpt/one", "ufs/one", true},
		{"diskid/one", "da0p2a", true},
		{"da0", "diskid/onep2", true},
		{"da0p2", "diskid/onep2", true},
		{"da0p2a", "da0p2b", false},
		{"da0p2a", "da0p2", true},
		{"da0p2a", "mirror/gm", false},
		{"da0p2b", "mirror/gm", true},
		{"diskid/onep2", "da0p2b", true},
		{"stripe/st", "da0p1", true},
		{"stripe/st", "ufs/one", true},
		{"stripe/st", "da0", true},
		{"stripe/st", "diskid/one", true},
		{"stripe/st", "da0p2", false},
		{"stripe/st", "da1p2", false},
		{"stripe/st", "mirror/gm", false},
		{"stripe/stp1", "stripe/st", true},
		{"stripe/stp1", "stripe/stp2", false},
		{"stripe/stp1", "da1p1", true},
		{"mirror/gm", "diskid/onep2", true},
		{"mirror/gm", "stripe/st", false},
		{"mirror/gm", "mirror/gm.eli", true},
		{"mirror/gm.eli", "mirror/gm", true},
		{"mirror/gm.eli", "da1p2", true},
		{"mirror/gm.eli", "diskid/onep2", true},
		{"mirror/gm.eli", "da1p1", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *text = write_layers("", rows[i].node), want[300] = "", of[100] = "";
		if (strcmp(rows[i].provider, rows[i].node) != 0)
			snprintf(of, sizeof(of), ", which has bytes of %s,", rows[i].provider);
		if (rows[i].counts)
			snprintf(want, sizeof(want),
				 "%s%s is open for writing (fuser /dev/%s may say by what)",
				 rows[i].node, of, rows[i].node);
		check_writers(text, rows[i].provider, want);
		free(text);
	}
}

static void what_writes_beneath_a_stripe_is_told(void **state)
{
	static const struct {
		const char *provider, *opener, *want;
	} rows[] = {
		{"stripe/st", "ffs.one",
		 "ufs/one, which has bytes of stripe/st, is open for writing in ffs.one (VFS)"},
		{"stripe/stp1", "ffs.one",
		 "ufs/one, which has bytes of stripe/stp1, is open for writing in ffs.one (VFS)"},
		{"stripe/st", "stripe/st", ""}, /* itself */
		{"stripe/stp1", "stripe/st", ""},
		{"stripe/st", "gpt/one", ""},   /* a view: for what it is opened itself */
		{"da0p1", "ffs.one", ""},       /* told as its user */
		{"stripe/st", "mirror/gm", ""}, /* on other bytes */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *text = write_layers(rows[i].opener, "");
		check_writers(text, rows[i].provider, rows[i].want);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_open_for_writing_is_told_of_all_that_it_reaches),
		cmocka_unit_test(what_uses_a_provider_is_no_writer_of_it_beside),
		cmocka_unit_test(all_names_of_the_same_bytes_are_one_family),
		cmocka_unit_test(other_bytes_of_a_disk_do_not_count),
		cmocka_unit_test(what_writes_beneath_a_stripe_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

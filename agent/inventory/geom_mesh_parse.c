/* Reads kern.geom.confxml: the kernel prints it, with the same few elements everywhere, so this
 * looks for those and passes over all else. */
#include "agent/inventory/geom_mesh.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

enum element {
	ELEMENT_MESH,
	ELEMENT_CLASS,
	ELEMENT_GEOM,
	ELEMENT_CONSUMER,
	ELEMENT_PROVIDER,
	ELEMENT_CONFIG,
	ELEMENT_OTHER,
};

#define MOST_LEVELS 32

struct parser {
	struct geom_mesh *mesh;
	const char *at;
	enum element levels[MOST_LEVELS];
	unsigned depth;
	char class_name[32];
	bool has_mode; /* of the provider or consumer that is open now */
};

/* One tag: its name, whether it opens, closes or both, and the number in id= or ref=. */
struct tag {
	const char *name;
	size_t length;
	bool closes, empty, has_reference;
	uint64_t reference;
	const char *text; /* what comes after it */
};

static bool is_named(const struct tag *tag, const char *name)
{
	return tag->length == strlen(name) && strncmp(tag->name, name, tag->length) == 0;
}

static enum element element_of(const struct tag *tag)
{
	static const char *const names[] = {"mesh",     "class",    "geom",
					    "consumer", "provider", "config"};

	for (int i = 0; i < ELEMENT_OTHER; i++)
		if (is_named(tag, names[i]))
			return (enum element)i;
	return ELEMENT_OTHER;
}

static void read_reference(struct tag *tag, const char *end)
{
	static const char *const keys[] = {" id=\"", " ref=\""};

	for (int i = 0; i < 2; i++) {
		const char *found = strstr(tag->name, keys[i]);
		if (!found || found >= end)
			continue;
		tag->reference = strtoull(found + strlen(keys[i]), NULL, 0);
		tag->has_reference = true;
	}
}

/* The next tag; false at the end of the text, or when it is cut off there. */
static bool next_tag(struct parser *parser, struct tag *tag)
{
	const char *start = strchr(parser->at, '<');
	const char *end = start ? strchr(start, '>') : NULL;

	if (!end)
		return false;
	*tag = (struct tag){.name = start + 1, .text = end + 1};
	tag->closes = *tag->name == '/';
	tag->name += tag->closes;
	tag->empty = end[-1] == '/';
	while (tag->name + tag->length < end && !isspace((unsigned char)tag->name[tag->length]) &&
	       tag->name[tag->length] != '/')
		tag->length++;
	read_reference(tag, end);
	parser->at = end + 1;
	return true;
}

/* The kernel writes what is special to XML, and each byte beyond ASCII, as &#x27; with its number.
 * Answers how many characters were read. */
static size_t read_character(const char *from, char *character)
{
	char *end;

	*character = *from;
	if (strncmp(from, "&#x", 3) != 0 || !isxdigit((unsigned char)from[3]))
		return 1;
	unsigned long number = strtoul(from + 3, &end, 16);
	if (*end != ';' || number == 0 || number > UCHAR_MAX)
		return 1;
	*character = (char)(unsigned char)number;
	return (size_t)(end + 1 - from);
}

static void copy_text(char *into, size_t size, const struct tag *tag)
{
	size_t used = 0;

	for (const char *from = tag->text; *from && *from != '<' && used + 1 < size;)
		from += read_character(from, &into[used++]);
	into[used] = '\0';
}

static void open_geom(struct geom_mesh *mesh, const char *class_name)
{
	mesh->geoms = mem_resize(mesh->geoms, mesh->geoms_count + 1, sizeof(*mesh->geoms));
	struct geom_geom *geom = &mesh->geoms[mesh->geoms_count++];
	*geom = (struct geom_geom){0};
	strcpy(geom->class_name, class_name);
}

static void open_provider(struct geom_mesh *mesh, uint64_t reference)
{
	mesh->providers =
		mem_resize(mesh->providers, mesh->providers_count + 1, sizeof(*mesh->providers));
	mesh->providers[mesh->providers_count++] =
		(struct geom_provider){.reference = reference, .geom = mesh->geoms_count - 1};
}

static void open_consumer(struct geom_mesh *mesh)
{
	mesh->consumers =
		mem_resize(mesh->consumers, mesh->consumers_count + 1, sizeof(*mesh->consumers));
	mesh->consumers[mesh->consumers_count++] =
		(struct geom_consumer){.geom = mesh->geoms_count - 1};
}

static bool read_count(const char **at, char letter, uint32_t *count)
{
	if (**at != letter || !isdigit((unsigned char)(*at)[1]))
		return false;
	char *end;
	unsigned long number = strtoul(*at + 1, &end, 10);
	*at = end;
	*count = (uint32_t)number;
	return number <= INT_MAX;
}

/* r1w0e2: how often it is open for reading, for writing and exclusively. */
static bool read_mode(const char *text, uint32_t *writers)
{
	uint32_t other;

	return read_count(&text, 'r', &other) && read_count(&text, 'w', writers) &&
	       read_count(&text, 'e', &other) && *text == '<';
}

static enum element parent(const struct parser *parser)
{
	return parser->depth ? parser->levels[parser->depth - 1] : ELEMENT_OTHER;
}

static bool is_in_geom(const struct parser *parser)
{
	return parent(parser) == ELEMENT_GEOM && parser->mesh->geoms_count > 0;
}

/* <provider ref=.../> in a consumer says what it consumes. */
static void read_empty(struct parser *parser, const struct tag *tag)
{
	struct geom_mesh *mesh = parser->mesh;

	if (parent(parser) == ELEMENT_CONSUMER && is_named(tag, "provider") && tag->has_reference)
		mesh->consumers[mesh->consumers_count - 1].reference = tag->reference;
}

static void read_geom(struct geom_geom *geom, const struct tag *tag, bool in_config)
{
	if (!in_config && is_named(tag, "name"))
		copy_text(geom->name, sizeof(geom->name), tag);
	if (in_config && is_named(tag, "ID"))
		copy_text(geom->id, sizeof(geom->id), tag);
}

static void read_provider(struct geom_provider *provider, const struct tag *tag, bool in_config)
{
	if (!in_config && is_named(tag, "name"))
		copy_text(provider->name, sizeof(provider->name), tag);
	if (in_config && is_named(tag, "type"))
		copy_text(provider->type, sizeof(provider->type), tag);
	if (in_config && is_named(tag, "offset"))
		provider->offset = strtoull(tag->text, NULL, 10);
	if (in_config && is_named(tag, "length"))
		provider->length = strtoull(tag->text, NULL, 10);
}

/* A text element of what is open now; false for a mode that is none. */
static bool read_value(struct parser *parser, const struct tag *tag)
{
	struct geom_mesh *mesh = parser->mesh;
	enum element in = parent(parser);
	bool in_config = in == ELEMENT_CONFIG && parser->depth >= 2;
	bool is_mode = !in_config && is_named(tag, "mode");

	if (in_config)
		in = parser->levels[parser->depth - 2];
	if (in == ELEMENT_CLASS && !in_config && is_named(tag, "name"))
		copy_text(parser->class_name, sizeof(parser->class_name), tag);
	if (in == ELEMENT_GEOM && mesh->geoms_count)
		read_geom(&mesh->geoms[mesh->geoms_count - 1], tag, in_config);
	if (in == ELEMENT_CONSUMER && is_mode) {
		parser->has_mode = true;
		return read_mode(tag->text, &mesh->consumers[mesh->consumers_count - 1].writers);
	}
	if (in != ELEMENT_PROVIDER)
		return true;
	struct geom_provider *provider = &mesh->providers[mesh->providers_count - 1];
	read_provider(provider, tag, in_config);
	if (!is_mode)
		return true;
	parser->has_mode = true;
	return read_mode(tag->text, &provider->writers);
}

/* The elements that say how they are open. */
static bool has_counts(enum element element)
{
	return element == ELEMENT_CONSUMER || element == ELEMENT_PROVIDER;
}

static bool open_element(struct parser *parser, const struct tag *tag)
{
	enum element element = element_of(tag);

	if (parser->depth == MOST_LEVELS || (parser->depth == 0 && element != ELEMENT_MESH))
		return false;
	if (element == ELEMENT_CLASS)
		parser->class_name[0] = '\0';
	else if (element == ELEMENT_GEOM && parent(parser) == ELEMENT_CLASS)
		open_geom(parser->mesh, parser->class_name);
	else if (element == ELEMENT_CONSUMER && is_in_geom(parser))
		open_consumer(parser->mesh);
	else if (element == ELEMENT_PROVIDER && is_in_geom(parser))
		open_provider(parser->mesh, tag->reference);
	else if (element == ELEMENT_GEOM || has_counts(element))
		return false; /* where none can be */
	else if (element == ELEMENT_OTHER && !read_value(parser, tag))
		return false;
	if (has_counts(element))
		parser->has_mode = false;
	parser->levels[parser->depth++] = element;
	return true;
}

static bool close_element(struct parser *parser, const struct tag *tag)
{
	if (parser->depth == 0 || parser->levels[--parser->depth] != element_of(tag))
		return false;
	return parser->has_mode || !has_counts(parser->levels[parser->depth]);
}

static bool parse(struct parser *parser)
{
	struct tag tag;
	bool began = false;

	while (next_tag(parser, &tag)) {
		if (tag.empty)
			read_empty(parser, &tag);
		else if (!tag.closes && !open_element(parser, &tag))
			return false;
		else if (tag.closes && !close_element(parser, &tag))
			return false;
		began |= parser->depth > 0;
	}
	return began && parser->depth == 0;
}

bool geom_mesh_parse(struct geom_mesh *mesh, const char *text)
{
	struct parser parser = {.mesh = mesh, .at = text};

	*mesh = (struct geom_mesh){0};
	if (parse(&parser))
		return true;
	geom_mesh_release(mesh);
	return false;
}

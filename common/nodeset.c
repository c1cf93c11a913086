#include "common/nodeset.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "common/memory.h"
#include "common/name_set.h"
#include "common/nodeset_item.h"

struct parser {
	struct nodeset_text text;
	struct name_set set;
	uint32_t written[2]; /* names of all sets added, and of all excluded */
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_blanks(struct nodeset_text *text)
{
	while (is_blank(*text->at))
		text->at++;
}

/* Whole sets that are gone again count too: work and memory stay bounded by the limit. */
static int count_written(struct parser *p, bool exclude, uint64_t names, const char *where)
{
	p->written[exclude] += (uint32_t)names;
	if (p->written[exclude] <= nodeset_hosts_most)
		return 0;
	return nodeset_refuse(&p->text, where, "more than %u hosts", nodeset_hosts_most);
}

/* Whether it was there is told in `hits`. */
static int put_name(struct parser *p, bool exclude, const char *name, const char *where,
		    uint64_t *hits)
{
	if (exclude)
		*hits += name_set_remove(&p->set, name);
	else if (!name_set_add(&p->set, mem_text(name)))
		return nodeset_refuse(&p->text, where, "host '%s' is named twice", name);
	return 0;
}

static int put_item(struct parser *p, bool exclude, uint64_t *hits)
{
	const char *where = p->text.at;
	struct nodeset_item item = {0};
	char name[NODESET_NAME_MAX + 1];
	int result = nodeset_item_parse(&item, &p->text);

	if (result == 0)
		result = count_written(p, exclude, item.names, where);
	for (uint64_t i = 0; result == 0 && i < item.names; i++) {
		result = nodeset_item_next(&item, name);
		if (result)
			nodeset_refuse(&p->text, where,
				       "a host name has at most %u characters, this one more",
				       NODESET_NAME_MAX);
		else
			result = put_name(p, exclude, name, where, hits);
	}
	nodeset_item_release(&item);
	return result;
}

/* How many characters an address has that begins here, in brackets or not; 0: it is none. */
static size_t address_size(const char *at)
{
	size_t size = strspn(at, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				 "-_.:%");
	const char *colon = memchr(at, ':', size);

	return colon && memchr(colon + 1, ':', size - (size_t)(colon + 1 - at)) ? size : 0;
}

/* The address in its usual form, so that two spellings of one are found to be the same. */
static int address_name(const char *at, size_t size, char name[NODESET_NAME_MAX + 1])
{
	unsigned char address[16];
	char text[INET6_ADDRSTRLEN];
	const char *zone = memchr(at, '%', size);
	size_t bare = zone ? (size_t)(zone - at) : size;

	if (bare >= sizeof(text) || size - bare == 1 || size - bare > 32)
		return -1;
	memcpy(text, at, bare);
	text[bare] = '\0';
	if (inet_pton(AF_INET6, text, address) != 1)
		return -1;
	inet_ntop(AF_INET6, address, text, sizeof(text));
	snprintf(name, NODESET_NAME_MAX + 1, "%s%.*s", text, (int)(size - bare), at + bare);
	return 0;
}

static int put_address(struct parser *p, bool exclude, size_t size, uint64_t *hits)
{
	const char *where = p->text.at;
	bool bracket = *where == '[';
	const char *at = where + bracket;
	char name[NODESET_NAME_MAX + 1];

	if (bracket && at[size] != ']')
		return nodeset_refuse(&p->text, at + size, "']' is missing after the address");
	if (address_name(at, size, name) < 0)
		return nodeset_refuse(&p->text, where, "'%.*s' is not an IPv6 address",
				      size < 80 ? (int)size : 80, at);
	p->text.at = at + size + bracket;
	return count_written(p, exclude, 1, where) ? -1 : put_name(p, exclude, name, where, hits);
}

/* One set, with the sign in front of it that takes its names out again. */
static int put_set(struct parser *p)
{
	const char *where = p->text.at;
	bool exclude = *where == '!' || *where == '-';
	uint64_t hits = 0;

	p->text.at += exclude;
	size_t address = address_size(p->text.at + (*p->text.at == '['));
	if (address ? put_address(p, exclude, address, &hits) : put_item(p, exclude, &hits))
		return -1;
	if (exclude && !hits)
		return nodeset_refuse(
			&p->text, where, "'%.*s' excludes none of the hosts before it",
			p->text.at - where < 80 ? (int)(p->text.at - where) : 80, where);
	return 0;
}

/* What stands between two sets: blanks, a comma, or nothing in front of "!". */
static int next_set(struct nodeset_text *text)
{
	const char *before = text->at;

	skip_blanks(text);
	if (!*text->at)
		return 0;
	if (*text->at == ',') {
		text->at++;
		skip_blanks(text);
		return *text->at ? 1 : nodeset_refuse(text, text->at, "a host name is missing");
	}
	return text->at > before || *text->at == '!' ? 1 : nodeset_refuse_char(text);
}

int nodeset_parse(struct nodeset *set, const char *text, struct error *err)
{
	struct parser p = {.text = {.start = text, .at = text, .err = err}};
	int more;

	*set = (struct nodeset){0};
	skip_blanks(&p.text);
	do
		more = put_set(&p) < 0 ? -1 : next_set(&p.text);
	while (more > 0);
	if (more == 0) {
		set->names = name_set_take(&p.set, &set->count);
		if (set->count)
			return 0;
		nodeset_refuse(&p.text, text, "no host is left");
		nodeset_release(set);
	}
	name_set_release(&p.set);
	return -1;
}

void nodeset_release(struct nodeset *set)
{
	for (uint32_t i = 0; i < set->count; i++)
		free(set->names[i]);
	free(set->names);
	*set = (struct nodeset){0};
}

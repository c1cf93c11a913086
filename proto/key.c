#include "proto/key.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/hex.h"
#include "common/memory.h"

static const char *const suffixes[] = {[KEY_PART_PUBLIC] = "key", [KEY_PART_SECRET] = "secret"};

void key_wipe(void *secret, size_t size)
{
	volatile unsigned char *bytes = secret;

	while (size)
		bytes[--size] = 0;
}

/* ---- names and places ---- */

char *key_directory(void)
{
	const char *keys = getenv("MUSTER_KEYS");
	const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (keys && keys[0] == '/')
		return mem_text(keys);
	if (geteuid() == 0)
		return mem_text("/etc/muster/keys");
	if (base && base[0] == '/')
		return mem_format("%s/muster/keys", base);
	return mem_format("%s/.config/muster/keys", home ? home : "");
}

char *key_path(const char *name, enum key_part part)
{
	if (strchr(name, '/'))
		return mem_text(name);
	char *directory = key_directory();
	char *path = mem_format("%s/%s.%s", directory, name, suffixes[part]);
	free(directory);
	return path;
}

bool key_is_name(const char *text, size_t size)
{
	static const char legal[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_.-";

	if (size == 0 || size >= KEY_NAME_SIZE || text[0] == '.' || text[0] == '-')
		return false;
	for (size_t i = 0; i < size; i++)
		if (!memchr(legal, text[i], sizeof(legal) - 1))
			return false;
	return true;
}

/* ---- text ---- */

/* A line of the file, its words apart by one blank. */
struct line {
	const char *word, *value;
	size_t word_size, value_size;
	unsigned number;
};

static bool line_is(const struct line *line, const char *word)
{
	return line->word_size == strlen(word) && memcmp(line->word, word, line->word_size) == 0;
}

static int complain(struct error *err, const struct line *line, const char *text)
{
	error_set(err, ERROR_USAGE, "line %u: %s", line->number, text);
	return -1;
}

static int take_key(unsigned char key[KEY_SIZE], bool *seen, const struct line *line,
		    struct error *err)
{
	char text[KEY_TEXT_SIZE] = "";

	if (*seen)
		return complain(err, line,
				line_is(line, "public")
					? "'public' stands here for the second time"
					: "'secret' stands here for the second time");
	if (line->value_size == KEY_TEXT_SIZE - 1)
		memcpy(text, line->value, line->value_size);
	*seen = hex_parse(key, KEY_SIZE, text);
	key_wipe(text, sizeof(text));
	return *seen ? 0 : complain(err, line, "a key is 64 digits of 0-9 and a-f");
}

static int take_name(struct key_file *file, const struct line *line, struct error *err)
{
	if (file->name[0])
		return complain(err, line, "'name' stands here for the second time");
	if (!key_is_name(line->value, line->value_size))
		return complain(err, line,
				"a name consists of letters, digits, '_', '.' and '-', and does "
				"not begin with one of the last two");
	memcpy(file->name, line->value, line->value_size);
	return 0;
}

static int take_line(struct key_file *file, bool *has_public, bool *has_head,
		     const struct line *line, struct error *err)
{
	if (!*has_head) {
		*has_head = line_is(line, "muster-key") && line->value_size == 1 &&
			    line->value[0] == '1';
		return *has_head ? 0
				 : complain(err, line,
					    "no key of muster: the first line has to be "
					    "'muster-key 1', as muster keygen writes it");
	}
	if (line_is(line, "name"))
		return take_name(file, line, err);
	if (line_is(line, "public"))
		return take_key(file->pair.public, has_public, line, err);
	if (line_is(line, "secret"))
		return take_key(file->pair.secret, &file->has_secret, line, err);
	return complain(err, line, "wanted is 'name', 'public' or 'secret', a blank and a value");
}

/* Takes the next line from the text. */
static struct line cut(const char **text, size_t *size, unsigned number)
{
	const char *end = memchr(*text, '\n', *size);
	size_t length = end ? (size_t)(end - *text) : *size;
	struct line line = {.word = *text, .number = number, .word_size = length};
	const char *blank = memchr(*text, ' ', length);

	if (blank) {
		line.word_size = (size_t)(blank - *text);
		line.value = blank + 1;
		line.value_size = length - line.word_size - 1;
	}
	*text += length + (end != NULL);
	*size -= length + (end != NULL);
	return line;
}

static int parse(struct key_file *file, const char *text, size_t size, struct error *err)
{
	bool has_head = false, has_public = false;
	struct line line = {.number = 1};

	if (size > KEY_FILE_MAX) {
		error_set(err, ERROR_USAGE, "no key of muster: longer than %d bytes", KEY_FILE_MAX);
		return -1;
	}
	for (unsigned number = 1; size; number++) {
		line = cut(&text, &size, number);
		if ((line.word_size == 0 && !line.value) || (line.word_size && line.word[0] == '#'))
			continue;
		if (take_line(file, &has_public, &has_head, &line, err) < 0)
			return -1;
	}
	if (!has_head)
		return complain(err, &line, "no key of muster: it is empty");
	if (!file->name[0] || !has_public)
		return complain(err, &line,
				file->name[0] ? "'public' is missing" : "'name' is missing");
	return 0;
}

int key_parse(struct key_file *file, const char *text, size_t size, struct error *err)
{
	*file = (struct key_file){0};
	if (parse(file, text, size, err) == 0)
		return 0;
	key_wipe(file, sizeof(*file));
	return -1;
}

char *key_format(const struct key_file *file, enum key_part part)
{
	char public[KEY_TEXT_SIZE], secret[KEY_TEXT_SIZE];

	hex_format(public, file->pair.public, KEY_SIZE);
	if (part == KEY_PART_PUBLIC)
		return mem_format("# the public key of '%s': for everybody who is to talk to it\n"
				  "muster-key 1\nname %s\npublic %s\n",
				  file->name, file->name, public);
	hex_format(secret, file->pair.secret, KEY_SIZE);
	char *text = mem_format("# the secret key of '%s': who has it, is it; show it to nobody\n"
				"muster-key 1\nname %s\npublic %s\nsecret %s\n",
				file->name, file->name, public, secret);
	key_wipe(secret, sizeof(secret));
	return text;
}

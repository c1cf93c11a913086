#include "agent/keys.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/hex.h"
#include "common/memory.h"

#define PATIENCE_NS (10 * NS_PER_S)

static int read_own(struct keys *keys, const char *name, struct error *err)
{
	char *path = key_path(name, KEY_PART_SECRET);
	int result = key_read_secret(path, &keys->own, err);

	free(path);
	if (result < 0)
		error_prefix(err, "this agent's key");
	return result;
}

static int read_allowed(struct keys *keys, const char *name, struct error *err)
{
	char *path = key_path(name, KEY_PART_PUBLIC);
	int result = key_read_public(path, keys->allowed[keys->count], err);

	free(path);
	if (result < 0)
		error_prefix(err, "the key of a controller");
	else
		keys->count++;
	return result;
}

int keys_read(struct keys *keys, const struct agent_config *config, struct error *err)
{
	*keys = (struct keys){.secured = config->key != NULL};
	if (!keys->secured)
		return 0;
	keys->allowed = mem_new(config->controllers_count, KEY_SIZE);
	if (read_own(keys, config->key, err) < 0)
		return -1;
	for (uint32_t i = 0; i < config->controllers_count; i++)
		if (read_allowed(keys, config->controllers[i].name, err) < 0)
			return -1;
	return 0;
}

/* Byte by byte: what comes behind it is not ours. Whether all of the line came. */
static bool receive_line(int fd, char *line, size_t size)
{
	uint64_t end = clock_now_ns() + PATIENCE_NS;

	for (size_t used = 0; used < size;) {
		struct pollfd item = {.fd = fd, .events = POLLIN};
		uint64_t now = clock_now_ns();
		if (now >= end)
			return false;
		int ready = poll(&item, 1, (int)((end - now) / NS_PER_MS) + 1);
		if (ready < 0 && errno == EINTR)
			continue;
		if (ready <= 0 || read(fd, line + used, 1) != 1)
			return false;
		if (line[used++] == '\n')
			return used == size;
	}
	return false;
}

int keys_receive(struct keys *keys, int fd, struct error *err)
{
	char line[2 * KEY_TEXT_SIZE];

	*keys = (struct keys){.secured = true, .count = 1, .allowed = mem_new(1, KEY_SIZE)};
	bool sound = receive_line(fd, line, sizeof(line)) && line[KEY_TEXT_SIZE - 1] == ' ' &&
		     hex_parse(keys->own.secret, KEY_SIZE, line) &&
		     hex_parse(keys->allowed[0], KEY_SIZE, line + KEY_TEXT_SIZE);
	key_wipe(line, sizeof(line));
	if (sound)
		return 0;
	error_set(err, ERROR_SETUP,
		  "no keys on standard input: with --keys-on-stdin its first line is a secret and "
		  "a public key of 64 digits each");
	return -1;
}

void keys_release(struct keys *keys)
{
	free(keys->allowed);
	key_wipe(keys, sizeof(*keys));
}

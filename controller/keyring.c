#include "controller/keyring.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "proto/auth.h"
#include "proto/endpoint.h"

#define HOST_WORD "{host}"

/* The host's key as its entry names it, `{host}` standing for the host. */
static char *expand(const char *pattern, const char *host)
{
	const char *word = strstr(pattern, HOST_WORD);

	if (!word)
		return mem_text(pattern);
	return mem_format("%.*s%s%s", (int)(word - pattern), pattern, host,
			  word + strlen(HOST_WORD));
}

static bool is_beyond_loopback(const struct plan_host *host)
{
	char *endpoint = endpoint_format(host->name, host->agents->port);
	bool is_loopback = endpoint_is_loopback(endpoint);

	free(endpoint);
	return !is_loopback;
}

static int read_own(struct keyring *keyring, const char *name, const char *host, struct error *err)
{
	if (keyring->own_path)
		return 0;
	if (!name) {
		error_set(err, ERROR_USAGE,
			  "host '%s' wants keys, and this controller has none: make one with "
			  "'muster keygen NAME', name it with --key NAME or the plan's fleet.key, "
			  "and list its NAME.key under 'controllers' of each agent.yaml; or type "
			  "--insecure here and at the agents on a network you trust",
			  host);
		return -1;
	}
	char *path = key_path(name, KEY_PART_SECRET);
	if (key_read_secret(path, &keyring->own, err) < 0) {
		error_prefix(err, "this controller's key");
		free(path);
		return -1;
	}
	keyring->own_path = path;
	return 0;
}

static int read_host(struct keyring_host *entry, const struct plan_host *host, struct error *err)
{
	char *name = expand(host->agents->key ? host->agents->key : HOST_WORD, host->name);

	entry->secured = true;
	entry->path = key_path(name, KEY_PART_PUBLIC);
	free(name);
	if (key_read_public(entry->path, entry->agent.public, err) == 0)
		return 0;
	error_prefix(err, "the key of host '%s'", host->name);
	return -1;
}

static int make_once(struct keyring *keyring, struct keyring_host *entry, struct error *err)
{
	static const struct key_pair none;

	entry->secured = true;
	entry->own = &keyring->once;
	if (memcmp(&keyring->once, &none, sizeof(none)) == 0 &&
	    auth_make_pair(&keyring->once, err) < 0)
		return -1;
	return auth_make_pair(&entry->agent, err);
}

/* Who names keys and types --insecure would believe in the one and get the other. */
static int check_words(const struct plan *plan, const char *own, bool insecure, struct error *err)
{
	bool has_key = own || plan->fleet.key;

	for (uint32_t i = 0; i < plan->fleet.agents_count; i++)
		has_key = has_key || plan->fleet.agents[i].key;
	if (!insecure || !has_key)
		return 0;
	error_set(err, ERROR_USAGE, "--insecure was typed, and %s a key: leave one of them away",
		  own ? "--key names" : "the plan names");
	return -1;
}

/* Who types --key means that it is used. */
static int check_used(const struct keyring *keyring, const char *own, struct error *err)
{
	if (!own || keyring->own_path)
		return 0;
	error_set(
		err, ERROR_USAGE,
		"--key '%.200s' would be used for no host of this plan: local agents get keys for "
		"once, and on the loopback they are used where an entry of fleet.agents has a "
		"`key`; leave --key away, or give one there",
		own);
	return -1;
}

int keyring_read(struct keyring *keyring, const struct plan *plan, const struct plan_hosts *hosts,
		 const char *own, bool insecure, struct error *err)
{
	const char *name = own ? own : plan->fleet.key;

	if (check_words(plan, own, insecure, err) < 0)
		return -1;
	keyring->hosts = mem_new(hosts->count, sizeof(*keyring->hosts));
	keyring->count = hosts->count;
	for (uint32_t i = 0; i < hosts->count; i++) {
		const struct plan_host *host = &hosts->hosts[i];
		struct keyring_host *entry = &keyring->hosts[i];
		bool beyond = !host->local && is_beyond_loopback(host);
		entry->own = &keyring->own;
		entry->insecure = beyond && insecure;
		if (host->local) {
			if (make_once(keyring, entry, err) < 0)
				return -1;
		} else if ((beyond && !insecure) || host->agents->key) {
			if (read_own(keyring, name, host->name, err) < 0 ||
			    read_host(entry, host, err) < 0)
				return -1;
		}
	}
	return check_used(keyring, own, err);
}

void keyring_release(struct keyring *keyring)
{
	for (uint32_t i = 0; i < keyring->count; i++) {
		key_wipe(&keyring->hosts[i].agent, sizeof(keyring->hosts[i].agent));
		free(keyring->hosts[i].path);
	}
	free(keyring->hosts);
	free(keyring->own_path);
	key_wipe(keyring, sizeof(*keyring));
}

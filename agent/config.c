#include "agent/config.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/record_yaml.h"
#include "proto/endpoint.h"

static const struct record_row agent_config_rows[] = {
	{MEMBER(struct agent_config, listen), .fallback = "tcp://127.0.0.1:7411",
	 .doc = "where controllers reach this agent: tcp://ADDRESS:PORT, port * for any free one; "
		"beyond the loopback it needs `key` and `controllers`"},
	{MEMBER_LIST(struct agent_config, allow_paths, name_table),
	 .doc = "directories under which muster may make files; none listed, none allowed"},
	{MEMBER_LIST(struct agent_config, allow_devices, name_table),
	 .doc = "devices that may be read, and written to when the plan names their identity"},
	{MEMBER(struct agent_config, key),
	 .doc = "this agent's own secret key, made by `muster keygen`: a name in /etc/muster/keys, "
		"or a path; for the agent's user alone (mode 0600)"},
	{MEMBER_LIST(struct agent_config, controllers, name_table),
	 .doc = "public keys of the controllers that may use this agent, names or paths like "
		"`key`; "
		"nobody else is let in"},
	{MEMBER(struct agent_config, user),
	 .doc = "user that the agent becomes once it has read its keys; its own rights and groups "
		"then have to reach the paths, the devices (group disk) and the spool. On Linux it "
		"keeps CAP_SYS_NICE and CAP_IPC_LOCK for a punctual start"},
	{MEMBER(struct agent_config, spool), .fallback = "/var/lib/muster",
	 .doc = "directory for what must survive a crash: the list of files made"},
	{MEMBER(struct agent_config, scratch),
	 .doc = "directory in which a plan's relative paths start; none: there are no such"},
	{MEMBER(struct agent_config, memory), .unit = UNIT_BYTES, .min = 1 << 20,
	 .fallback = "4GiB", .doc = "most memory for I/O buffers"},
	{MEMBER(struct agent_config, spool_limit), .unit = UNIT_BYTES, .min = 1 << 20,
	 .fallback = "1GiB",
	 .doc = "most bytes of results in the spool that no controller has yet; a phase whose "
		"results might not fit is refused"},
	{MEMBER(struct agent_config, spool_keep), .unit = UNIT_NS, .min = UINT64_C(3600000000000),
	 .fallback = "720h",
	 .doc = "how long results stay that nobody collects; then they are removed, and it is "
		"logged"},
};

const struct record_table agent_config_table =
	RECORD_TABLE(struct agent_config, "agent.yaml", agent_config_rows,
		     "what a controller may ask of this host: nothing listed, nothing allowed");

struct check {
	const struct record_places *places;
	struct yaml_errors *errors;
};

static void complain(struct check *check, const void *member, const char *key, const char *found,
		     const char *wanted)
{
	const struct record_place *place = record_places_find(check->places, member);

	yaml_errors_add(check->errors, place ? place->line : 1, place ? place->column : 1,
			"%s: '%s' %s", key, found, wanted);
}

static void check_absolute(struct check *check, const void *member, const char *key,
			   const char *path)
{
	if (!path || path[0] != '/')
		complain(check, member, key, path ? path : "",
			 "is not an absolute path: begin it with '/'");
	else if (strchr(path, '\n'))
		complain(check, member, key, path, "has a line break in it");
}

static void check_names(struct check *check, const char *list, const struct name *names,
			uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		char *key = mem_format("%s[%u]", list, i);
		check_absolute(check, &names[i].name, key, names[i].name);
		free(key);
	}
}

static void check_rules(struct check *check, const struct agent_config *config)
{
	if (config->listen && !endpoint_can_listen(config->listen))
		complain(check, &config->listen, "listen", config->listen, ENDPOINT_LISTEN_WANTED);
	check_names(check, "allow_paths", config->allow_paths, config->allow_paths_count);
	check_names(check, "allow_devices", config->allow_devices, config->allow_devices_count);
	if (config->key && !config->controllers_count)
		complain(check, &config->key, "key", config->key,
			 "lets nobody in: list the public keys of its controllers under "
			 "'controllers'");
	if (!config->key && config->controllers_count)
		complain(check, &config->controllers[0].name, "controllers[0]",
			 config->controllers[0].name,
			 "needs 'key' beside it: this agent's own, made by muster keygen");
	check_absolute(check, &config->spool, "spool", config->spool);
	if (config->scratch)
		check_absolute(check, &config->scratch, "scratch", config->scratch);
}

/* Takes the tree, which may be NULL. */
static bool read_tree(struct agent_config *config, struct yaml_node *tree,
		      struct yaml_errors *errors)
{
	struct record_places places = {0};

	*config = (struct agent_config){0};
	if (!tree)
		return false;
	bool read = record_yaml_read(&agent_config_table, config, tree, &places, errors);
	struct check check = {.places = &places, .errors = errors};
	if (read)
		check_rules(&check, config);
	record_places_release(&places);
	yaml_tree_free(tree);
	return read && errors->count == 0;
}

bool agent_config_read(struct agent_config *config, const char *path, struct yaml_errors *errors)
{
	return read_tree(config, yaml_tree_read_owned(path, errors), errors);
}

bool agent_config_parse(struct agent_config *config, const char *bytes, size_t size,
			struct yaml_errors *errors)
{
	return read_tree(config, yaml_tree_parse(bytes, size, errors), errors);
}

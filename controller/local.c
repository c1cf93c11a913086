#include "controller/local.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/hex.h"
#include "common/log.h"
#include "common/memory.h"
#include "controller/local_directory.h"

#define START_NS (10 * NS_PER_S)
#define STOP_NS  (35 * NS_PER_S)
#define KILL_NS  (2 * NS_PER_S)

/* ---- the config ---- */

/* YAML's double-quoted form: what could end or bend the text is escaped. */
static void put_quoted(FILE *file, const char *text)
{
	fputc('"', file);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		if (c < 0x20 || c == 0x7f)
			fprintf(file, "\\x%02x", c);
		else if (c == '"' || c == '\\')
			fprintf(file, "\\%c", c);
		else
			fputc(c, file);
	}
	fputc('"', file);
}

/* The directory of a path that may itself be a directory or a file. */
static void put_allowed_path(FILE *file, const char *path)
{
	struct stat status;
	char *copy = mem_text(path);
	char *slash = strrchr(copy, '/');

	if ((stat(path, &status) < 0 || !S_ISDIR(status.st_mode)) && slash)
		slash[slash == copy ? 1 : 0] = 0;
	fputs("  - ", file);
	put_quoted(file, copy);
	fputc('\n', file);
	free(copy);
}

static int write_config(const struct local_agent *agent, const struct plan_host *host,
			struct error *err)
{
	char *path = mem_format("%s/agent.yaml", agent->directory);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
	char *scratch = mem_format("%s/scratch", agent->directory);
	char *spool = mem_format("%s/spool", agent->directory);

	if (file) {
		fprintf(file, "listen: tcp://127.0.0.1:*\nspool: ");
		put_quoted(file, spool);
		fprintf(file, "\nscratch: ");
		put_quoted(file, scratch);
		fprintf(file, "\nallow_paths:\n");
		put_allowed_path(file, scratch);
		for (uint32_t i = 0; i < host->targets_count; i++)
			if (host->targets[i].path && host->targets[i].path[0] == '/')
				put_allowed_path(file, host->targets[i].path);
		bool devices = false;
		for (uint32_t i = 0; i < host->targets_count; i++) {
			if (!host->targets[i].device)
				continue;
			fputs(devices ? "  - " : "allow_devices:\n  - ", file);
			put_quoted(file, host->targets[i].device);
			fputc('\n', file);
			devices = true;
		}
	}
	int failed = !file || ferror(file);
	if (file && fclose(file) != 0)
		failed = 1;
	if (failed)
		error_set(err, ERROR_SETUP, "cannot write '%s': %s", path, strerror(errno));
	free(path);
	free(scratch);
	free(spool);
	return failed ? -1 : 0;
}

/* ---- processes ---- */

/* muster-agent beside this program when it is there, else whatever PATH has. */
static char *agent_program(void)
{
	char self[4096];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (length > 0) {
		self[length] = 0;
		char *slash = strrchr(self, '/');
		if (slash) {
			char *path = mem_format("%.*s/muster-agent", (int)(slash - self), self);
			if (access(path, X_OK) == 0)
				return path;
			free(path);
		}
	}
	return mem_text("muster-agent");
}

/* In the child: own process group, so that a Ctrl-C at the terminal reaches the controller alone.
 */
static void become_agent(const struct local_agent *agent, int in, int out)
{
	char *config = mem_format("%s/agent.yaml", agent->directory);
	char *program = agent_program();

	setpgid(0, 0);
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	execlp(program, program, "--child", "--keys-on-stdin", "--config", config, (char *)NULL);
	fprintf(stderr, "muster: error: cannot run '%s': %s\n", program, strerror(errno));
	_exit(127);
}

/* Its first line on standard output: "listening tcp://127.0.0.1:PORT". */
static int read_port(struct local_agent *agent, int out, struct error *err)
{
	uint64_t end = clock_now_ns() + START_NS;
	char line[128] = "";
	size_t used = 0;

	while (!strchr(line, '\n') && used < sizeof(line) - 1) {
		struct pollfd item = {.fd = out, .events = POLLIN};
		uint64_t now = clock_now_ns();
		if (now >= end)
			break;
		int ready = poll(&item, 1, (int)((end - now) / NS_PER_MS) + 1);
		if (ready < 0 && errno == EINTR)
			continue; /* Ctrl-C: who connects next looks at it */
		if (ready <= 0)
			break;
		ssize_t size = read(out, line + used, sizeof(line) - 1 - used);
		if (size <= 0)
			break;
		used += (size_t)size;
		line[used] = 0;
	}
	const char *colon = strrchr(line, ':');
	if (strncmp(line, "listening ", 10) == 0 && colon)
		agent->port = (uint16_t)strtoul(colon + 1, NULL, 10);
	if (agent->port)
		return 0;
	error_set(err, ERROR_SETUP,
		  "a local agent did not begin to listen; its own message stands above");
	return -1;
}

/* A line of 130 bytes: the pipe takes it whole. */
static int send_keys(const struct local_agent *agent, const struct keyring_host *keys,
		     struct error *err)
{
	char line[2 * KEY_TEXT_SIZE];

	hex_format(line, keys->agent.secret, KEY_SIZE);
	line[KEY_TEXT_SIZE - 1] = ' ';
	hex_format(line + KEY_TEXT_SIZE, keys->own->public, KEY_SIZE);
	line[sizeof(line) - 1] = '\n';
	bool sent = write(agent->stdin_fd, line, sizeof(line)) == (ssize_t)sizeof(line);
	key_wipe(line, sizeof(line));
	if (!sent)
		error_set(err, ERROR_SETUP, "cannot give a local agent its keys: %s",
			  strerror(errno));
	return sent ? 0 : -1;
}

static int start_agent(struct local_agent *agent, const struct keyring_host *keys,
		       struct error *err)
{
	int in[2], out[2];

	if (pipe(in) < 0 || pipe(out) < 0) {
		error_set(err, ERROR_SETUP, "cannot make a pipe for a local agent: %s",
			  strerror(errno));
		return -1;
	}
	fcntl(in[1], F_SETFD, FD_CLOEXEC);
	agent->pid = fork();
	if (agent->pid == 0)
		become_agent(agent, in[0], out[1]);
	close(in[0]);
	close(out[1]);
	agent->stdin_fd = in[1];
	if (agent->pid < 0) {
		error_set(err, ERROR_SETUP, "cannot start a local agent: %s", strerror(errno));
		close(out[0]);
		return -1;
	}
	int result = send_keys(agent, keys, err) < 0 ? -1 : read_port(agent, out[0], err);
	close(out[0]);
	return result;
}

/* ---- all of them ---- */

void local_adopt(struct local_agents *local, const char *directory)
{
	char **before = RECORD_APPEND(local->before, local->before_count);

	*before = directory ? mem_text(directory) : NULL;
}

/* False where there is none from before, or none that can be taken up, which is told. */
static bool has_before(struct local_agents *local, struct local_agent *agent,
		       const struct plan_host *host, uint64_t began_ns)
{
	const char *before = agent->host < local->before_count ? local->before[agent->host] : NULL;
	struct error err;

	if (!before || access(before, F_OK) < 0)
		return false;
	if (local_directory_take(agent, host, before, began_ns, &err) == 0)
		return true;
	log_warning("host '%s': %s", host->name, err.text);
	return false;
}

static struct local_agent *add_agent(struct local_agents *local, uint32_t host)
{
	struct local_agent *agent = RECORD_APPEND(local->agents, local->count);

	agent->host = host;
	agent->stdin_fd = -1;
	return agent;
}

int local_start(struct local_agents *local, const struct plan_hosts *hosts,
		const struct keyring *keyring, struct error *err)
{
	uint64_t began_ns = clock_now_ns();

	local->keyring = keyring;
	for (uint32_t i = 0; i < hosts->count; i++) {
		const struct plan_host *host = &hosts->hosts[i];
		if (!host->local)
			continue;
		struct local_agent *agent = add_agent(local, i);
		bool is_old = has_before(local, agent, host, began_ns);
		if ((!is_old && local_directory_make(local, agent, host, err) < 0) ||
		    write_config(agent, host, err) < 0 ||
		    start_agent(agent, &keyring->hosts[i], err) < 0) {
			error_prefix(err, "host '%s'", host->name);
			agent->why = is_old ? mem_text(err->text) : NULL;
			return -1;
		}
	}
	return 0;
}

static int start_kept(struct local_agents *local, struct local_agent *agent,
		      const struct plan_host *host, const struct keyring_host *keys,
		      uint64_t began_ns, struct error *err)
{
	char *directory = local_directory_before(local, agent, host);
	int failed = -1;

	if (!directory)
		error_set(err, ERROR_SETUP, "its agent was the controller's own and ended with it");
	else if (local_directory_take(agent, host, directory, began_ns, err) == 0 &&
		 write_config(agent, host, err) == 0)
		failed = start_agent(agent, keys, err);
	free(directory);
	return failed;
}

void local_start_kept(struct local_agents *local, const struct plan_hosts *hosts,
		      const struct keyring *keyring)
{
	uint64_t began_ns = clock_now_ns();
	struct error err;

	local->keyring = keyring;
	for (uint32_t i = 0; i < hosts->count; i++) {
		if (!hosts->hosts[i].local)
			continue;
		struct local_agent *agent = add_agent(local, i);
		if (start_kept(local, agent, &hosts->hosts[i], &keyring->hosts[i], began_ns, &err) <
		    0)
			agent->why = mem_text(err.text);
	}
}

char *local_directory_of(const struct local_agents *local, uint32_t host)
{
	for (uint32_t i = 0; i < local->count; i++)
		if (local->agents[i].host == host)
			return local->agents[i].directory;
	return NULL;
}

/* Whether it has ended until then. */
static bool has_ended(struct local_agent *agent, uint64_t end_ns)
{
	int status;
	pid_t found;

	while ((found = waitpid(agent->pid, &status, WNOHANG)) == 0 && clock_now_ns() < end_ns)
		clock_sleep(10 * NS_PER_MS);
	if (found == agent->pid && agent->port)
		agent->is_broken = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
	return found != 0;
}

static void wait_for(struct local_agent *agent, uint64_t end_ns)
{
	if (agent->pid <= 0 || has_ended(agent, end_ns))
		return;
	log_warning("local agent %d did not end: killed", (int)agent->pid);
	kill(agent->pid, SIGKILL);
	if (has_ended(agent, clock_now_ns() + KILL_NS))
		return;
	agent->is_broken = agent->is_stuck = true;
	log_warning(
		"local agent %d hangs in the kernel, as with a disk that does not answer: it ends "
		"when that does",
		(int)agent->pid);
}

/* Who was killed has removed nothing: an agent that is started on its journal does. */
static void clean_after(struct local_agent *agent, const struct keyring_host *keys)
{
	struct error err;

	if (!agent->is_broken || agent->is_stuck)
		return;
	agent->port = 0;
	agent->pid = agent->stdin_fd = -1;
	if (start_agent(agent, keys, &err) < 0)
		log_warning("%s", err.text);
	if (agent->stdin_fd >= 0)
		close(agent->stdin_fd);
	agent->is_broken = !agent->port;
	wait_for(agent, clock_now_ns() + STOP_NS);
}

void local_stop(struct local_agents *local)
{
	uint64_t end_ns = clock_now_ns() + STOP_NS;

	for (uint32_t i = 0; i < local->count; i++)
		if (local->agents[i].stdin_fd >= 0)
			close(local->agents[i].stdin_fd);
	for (uint32_t i = 0; i < local->count; i++) {
		wait_for(&local->agents[i], end_ns);
		clean_after(&local->agents[i], &local->keyring->hosts[local->agents[i].host]);
		if (local->agents[i].directory)
			local_directory_remove(&local->agents[i]);
		free(local->agents[i].directory);
		free(local->agents[i].why);
	}
	for (uint32_t i = 0; i < local->before_count; i++)
		free(local->before[i]);
	free(local->before);
	if (local->temporary)
		rmdir(local->temporary);
	free(local->temporary);
	free(local->agents);
	*local = (struct local_agents){0};
}

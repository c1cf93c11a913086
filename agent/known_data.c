#include "agent/known_data.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/made_list.h"
#include "common/file.h"
#include "common/memory.h"
#include "common/pattern.h"
#include "common/record.h"

#define FORMAT    "known 1 "
#define MOST_SIZE (64 << 20)

void known_data_release(struct known_data *known)
{
	free(known->run);
	free(known->key);
	free(known->boot);
	free(known->ranges);
	*known = (struct known_data){0};
}

/* ---- text ---- */

static void put_line(FILE *into, char *event)
{
	char *line = made_list_line(event);

	fputs(line, into);
	free(line);
	free(event);
}

static char *range_event(const struct written_range *r)
{
	return mem_format("range %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
			  " %" PRIu64 " %" PRIu64 " %" PRIu64,
			  r->from, r->to, r->seed, r->owner, r->oldest, r->newest, r->unit,
			  pattern_shape_pack(r->shape));
}

char *known_data_format(const struct known_data *known)
{
	char *text = NULL;
	size_t size = 0;
	FILE *into = open_memstream(&text, &size);

	if (!into)
		return NULL;
	put_line(into, mem_format(FORMAT "%s", known->run));
	put_line(into, mem_format("key %s", known->key));
	if (known->boot)
		put_line(into, mem_format("boot %s", known->boot));
	put_line(into, mem_format("generation %" PRIu64, known->generation));
	for (uint32_t i = 0; i < known->count; i++)
		put_line(into, range_event(&known->ranges[i]));
	put_line(into, mem_format("end %u", known->count));
	if (fclose(into) == 0)
		return text;
	free(text);
	return NULL;
}

static bool parse_range(struct known_data *known, const char *event)
{
	struct written_range r = {0};
	uint64_t shape, end = known->count ? known->ranges[known->count - 1].to : 0;
	int used = 0;

	if (sscanf(event,
		   "range %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %" SCNu64 " %" SCNu64 "%n",
		   &r.from, &r.to, &r.seed, &r.owner, &r.oldest, &r.newest, &r.unit, &shape,
		   &used) != 8 ||
	    event[used])
		return false;
	r.shape = pattern_shape_unpack(shape);
	if (r.from < end || r.from >= r.to || r.from % PATTERN_SECTOR || r.to % PATTERN_SECTOR ||
	    r.unit % PATTERN_SECTOR || r.oldest > r.newest || r.newest >= known->generation ||
	    pattern_shape_pack(r.shape) != shape)
		return false;
	struct written_range *range = RECORD_APPEND(known->ranges, known->count);
	*range = r;
	return true;
}

/* One line after the other, in the order in which they are written. */
struct reader {
	struct known_data *known;
	enum { WANT_RUN, WANT_KEY, WANT_GENERATION, WANT_RANGE, WANT_NOTHING } want;
};

static bool take_text(char **into, const char *event, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(event, word, length) != 0 || !event[length])
		return false;
	*into = mem_text(event + length);
	return true;
}

static bool take_number(uint64_t *into, const char *event, const char *format)
{
	int used = 0;

	return sscanf(event, format, into, &used) == 1 && used && !event[used];
}

static bool take(struct reader *reader, const char *event)
{
	struct known_data *known = reader->known;
	uint64_t count;

	switch (reader->want) {
	case WANT_RUN:
		reader->want = WANT_KEY;
		return take_text(&known->run, event, FORMAT);
	case WANT_KEY:
		reader->want = WANT_GENERATION;
		return take_text(&known->key, event, "key ");
	case WANT_GENERATION:
		if (!known->boot && strncmp(event, "boot ", 5) == 0)
			return take_text(&known->boot, event, "boot ");
		reader->want = WANT_RANGE;
		return take_number(&known->generation, event, "generation %" SCNu64 "%n") &&
		       known->generation < PATTERN_GENERATIONS;
	case WANT_RANGE:
		if (strncmp(event, "range ", 6) == 0)
			return parse_range(known, event);
		reader->want = WANT_NOTHING;
		return take_number(&count, event, "end %" SCNu64 "%n") && count == known->count;
	case WANT_NOTHING:
		break;
	}
	return false;
}

static bool take_lines(struct reader *reader, char *text)
{
	for (char *next; *text; text = next) {
		char *end = strchr(text, '\n');
		if (!end)
			return false;
		*end = '\0';
		next = end + 1;
		const char *event = made_list_event(text, (size_t)(end - text));
		if (!event || !take(reader, event))
			return false;
	}
	return reader->want == WANT_NOTHING;
}

int known_data_parse(struct known_data *known, const char *text, size_t size)
{
	struct reader reader = {.known = known};
	char *copy = mem_new(size + 1, 1);

	*known = (struct known_data){0};
	memcpy(copy, text, size);
	bool is_sound = strlen(copy) == size && take_lines(&reader, copy);
	free(copy);
	if (is_sound)
		return 0;
	known_data_release(known);
	return -1;
}

/* ---- files ---- */

static char *path_of(const char *spool, const char *key, const char *after)
{
	return mem_format("%s/known.%016" PRIx64 "%s", spool, pattern_owner("known", key), after);
}

static int cannot(const char *what, const char *path, struct error *err)
{
	error_set(err, ERROR_SYSTEM, "cannot %s '%s': %s", what, path, strerror(errno));
	return -1;
}

static int sync_folder(const char *spool, struct error *err)
{
	int fd = open(spool, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int failed = fd < 0 || fsync(fd) < 0 ? cannot("sync", spool, err) : 0;

	if (fd >= 0)
		close(fd);
	return failed;
}

static int put_in_place(const char *fresh, const char *path, const char *text, struct error *err)
{
	int fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return cannot("make", fresh, err);
	int failed = file_write_whole(fd, text, strlen(text)) < 0 || fsync(fd) < 0
			     ? cannot("write", fresh, err)
			     : 0;
	close(fd);
	if (!failed && rename(fresh, path) < 0)
		failed = cannot("put in place", path, err);
	if (failed)
		unlink(fresh);
	return failed;
}

int known_data_save(const char *spool, const struct known_data *known, struct error *err)
{
	if (strchr(known->key, '\n') || strchr(known->run, '\n')) {
		error_set(err, ERROR_REFUSED, "a name with a line break is not kept");
		return -1;
	}
	char *path = path_of(spool, known->key, ""), *fresh = path_of(spool, known->key, ".new");
	char *text = known_data_format(known);
	int failed = text ? put_in_place(fresh, path, text, err) : cannot("write", fresh, err);

	free(text);
	free(fresh);
	free(path);
	return failed ? -1 : sync_folder(spool, err);
}

static char *read_whole(int fd, size_t *size)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return NULL;
	errno = EFBIG;
	if (!S_ISREG(st.st_mode) || st.st_size > MOST_SIZE)
		return NULL;
	char *text = mem_new((size_t)st.st_size + 1, 1);
	ssize_t got = pread(fd, text, (size_t)st.st_size, 0);
	if (got < 0) {
		free(text);
		return NULL;
	}
	*size = (size_t)got;
	return text;
}

static int read_known(int fd, const char *path, const char *key, struct known_data *known,
		      struct error *err)
{
	size_t size;
	char *text = read_whole(fd, &size);

	if (!text)
		return cannot("read", path, err);
	int failed = known_data_parse(known, text, size);
	free(text);
	if (!failed && strcmp(known->key, key) == 0)
		return 1;
	if (!failed) { /* two keys of one hash: the other was there last */
		known_data_release(known);
		return 0;
	}
	error_set(err, ERROR_REFUSED, "'%s' is damaged: what it knew is lost; remove it", path);
	return -1;
}

int known_data_load(const char *spool, const char *key, struct known_data *known, struct error *err)
{
	char *path = path_of(spool, key, "");
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), found = 0;

	*known = (struct known_data){0};
	if (fd >= 0) {
		found = read_known(fd, path, key, known, err);
		close(fd);
	} else if (errno != ENOENT) {
		found = cannot("open", path, err);
	}
	free(path);
	return found;
}

int known_data_drop(const char *spool, const char *key, struct error *err)
{
	char *path = path_of(spool, key, "");
	int failed = 0;

	if (unlink(path) == 0)
		failed = sync_folder(spool, err);
	else if (errno != ENOENT)
		failed = cannot("remove", path, err);
	free(path);
	return failed;
}

/* Runs a fuzz target without libFuzzer: every file of a corpus as it is, then mutations of it,
 * always the same ones, for at most three seconds a file.
 *
 * A seed that is right is named ok-…, and a directory of them has one at least. One that the target
 * does not take any more reaches nothing behind the first check: that is a failure. */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/clock.h"
#include "common/memory.h"
#include "common/random.h"
#include "tests/fuzz/accepted.h"

#define FILE_MAX  (4u << 20)
#define MUTATIONS 3000
#define FILE_NS   (3 * NS_PER_S)

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

struct input {
	char *path;
	unsigned char *data;
	size_t size;
};

struct corpus {
	struct input *inputs;
	size_t count, right, refused;
	bool is_directory;
};

/* In a block of exactly its size, so that a sanitizer sees each byte read beyond it. */
static void run(const unsigned char *data, size_t size)
{
	unsigned char *exact = mem_new(size, 1);

	if (size)
		memcpy(exact, data, size);
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
}

static int complain(const char *path)
{
	fprintf(stderr, "cannot read '%s': %s\n", path, strerror(errno));
	return -1;
}

static int add_file(struct corpus *corpus, const char *path)
{
	FILE *file = fopen(path, "rb");
	unsigned char *data = mem_new(FILE_MAX, 1);
	size_t size = file ? fread(data, 1, FILE_MAX, file) : 0;

	if (!file || ferror(file)) {
		complain(path);
		free(data);
		if (file)
			fclose(file);
		return -1;
	}
	fclose(file);
	corpus->inputs = mem_resize(corpus->inputs, corpus->count + 1, sizeof(*corpus->inputs));
	corpus->inputs[corpus->count++] = (struct input){
		.path = mem_text(path), .data = mem_resize(data, size, 1), .size = size};
	return 0;
}

static int add(struct corpus *corpus, const char *path);

static int add_directory(struct corpus *corpus, const char *path)
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	int result = 0;

	corpus->is_directory = true;
	if (!directory)
		return complain(path);
	while (result == 0 && (entry = readdir(directory))) {
		if (entry->d_name[0] == '.')
			continue;
		char *inside = mem_format("%s/%s", path, entry->d_name);
		result = add(corpus, inside);
		free(inside);
	}
	closedir(directory);
	return result;
}

static int add(struct corpus *corpus, const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return complain(path);
	if (S_ISDIR(st.st_mode))
		return add_directory(corpus, path);
	return S_ISREG(st.st_mode) ? add_file(corpus, path) : 0;
}

/* readdir has no order; the mutations shall be the same each time. */
static int compare_paths(const void *a, const void *b)
{
	return strcmp(((const struct input *)a)->path, ((const struct input *)b)->path);
}

static size_t flip_bits(unsigned char *data, size_t size, struct random *r)
{
	for (uint64_t flips = 1 + random_below(r, 8); flips && size; flips--)
		data[random_below(r, size)] ^= (unsigned char)(1u << random_below(r, 8));
	return size;
}

/* Bytes that mean something to somebody: ends, limits, type bytes, signs. */
static size_t set_bytes(unsigned char *data, size_t size, struct random *r)
{
	static const unsigned char values[] = "\0\xff\x7f\x80\xc0\xdd\xdf\xdb[]-,/0:.%";

	for (uint64_t sets = 1 + random_below(r, 4); sets && size; sets--)
		data[random_below(r, size)] = values[random_below(r, sizeof(values) - 1)];
	return size;
}

/* The start of this one and the end of another; `data` has room for both. */
static size_t splice(unsigned char *data, size_t size, const struct corpus *corpus,
		     struct random *r)
{
	const struct input *other = &corpus->inputs[random_below(r, corpus->count)];
	size_t keep = (size_t)random_below(r, size + 1);
	size_t from = (size_t)random_below(r, other->size + 1);

	if (other->size > from)
		memcpy(data + keep, other->data + from, other->size - from);
	return keep + other->size - from;
}

static size_t mutate(unsigned char *data, size_t size, const struct corpus *corpus,
		     struct random *r)
{
	switch (random_below(r, 4)) {
	case 0:
		return (size_t)random_below(r, size + 1);
	case 1:
		return flip_bits(data, size, r);
	case 2:
		return set_bytes(data, size, r);
	default:
		return flip_bits(data, splice(data, size, corpus, r), r);
	}
}

/* As it is; whether it is right and taken is counted. */
static void run_seed(struct corpus *corpus, const struct input *input)
{
	const char *name = strrchr(input->path, '/');

	accepted = false;
	run(input->data, input->size);
	if (strncmp(name ? name + 1 : input->path, "ok-", 3) != 0)
		return;
	corpus->right++;
	corpus->refused += !accepted;
	if (!accepted)
		fprintf(stderr,
			"%s: is refused, and named as one that is right: make it anew as "
			"tests/fuzz/seeds says, or give it another name\n",
			input->path);
}

/* How many inputs ran. */
static unsigned long run_input(struct corpus *corpus, size_t index)
{
	const struct input *input = &corpus->inputs[index];
	uint64_t deadline = clock_now_ns() + FILE_NS;
	unsigned char *data = mem_new(input->size + FILE_MAX, 1);
	struct random r = {index};
	unsigned long ran = 1;

	run_seed(corpus, input);
	for (; ran <= MUTATIONS && clock_now_ns() < deadline; ran++) {
		if (input->size)
			memcpy(data, input->data, input->size);
		run(data, mutate(data, input->size, corpus, &r));
	}
	free(data);
	return ran;
}

static void release(struct corpus *corpus)
{
	for (size_t i = 0; i < corpus->count; i++) {
		free(corpus->inputs[i].path);
		free(corpus->inputs[i].data);
	}
	free(corpus->inputs);
}

int main(int argc, char **argv)
{
	struct corpus corpus = {0};
	unsigned long ran = 0;
	int result = 0;

	for (int i = 1; i < argc && result == 0; i++)
		result = add(&corpus, argv[i]);
	if (result == 0 && corpus.count == 0) {
		fprintf(stderr, "no inputs; give files or directories of a corpus\n");
		result = -1;
	}
	if (result == 0) {
		qsort(corpus.inputs, corpus.count, sizeof(*corpus.inputs), compare_paths);
		for (size_t i = 0; i < corpus.count; i++)
			ran += run_input(&corpus, i);
		printf("%lu inputs ran, %zu of them from files, %zu of these right\n", ran,
		       corpus.count, corpus.right);
		if (corpus.is_directory && !corpus.right)
			fprintf(stderr, "no seed is named ok-…: is none right?\n");
		if (corpus.refused || (corpus.is_directory && !corpus.right))
			result = -1;
	}
	release(&corpus);
	return result ? 1 : 0;
}

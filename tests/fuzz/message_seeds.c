/* message_seeds.c - a message of each kind with every member filled, as seeds of fuzz targets: made
 * from the tables, and so of this build whatever they have.
 *
 *     message_seeds CORPUS
 *
 * writes CORPUS/message_fuzz/ok-KIND of each, and all of them in a row as an agent keeps its
 * results, CORPUS/kept_frames_fuzz/ok-messages. */
#include <stdio.h>
#include <stdlib.h>

#include "common/framed.h"
#include "common/memory.h"
#include "common/record_member.h"
#include "proto/codec.h"

enum { ELEMENTS = 2 };

static void fill(const struct record_table *table, void *record);

static void fill_list(const struct record_row *row, void *record)
{
	char *elements = mem_new(ELEMENTS, row->table->size);

	*(char **)record_member(row, record) = elements;
	*record_list_count(row, record) = ELEMENTS;
	for (uint32_t i = 0; i < ELEMENTS; i++)
		fill(row->table, elements + i * row->table->size);
}

static void fill_member(const struct record_row *row, void *record)
{
	void *member = record_member(row, record);

	switch (row->kind) {
	case RECORD_BOOL:
		*(bool *)member = true;
		break;
	case RECORD_U32:
	case RECORD_U64:
		record_store_machine(row, record, row->names ? 0 : row->min + 1);
		break;
	case RECORD_I64:
		*(int64_t *)member = -1;
		break;
	case RECORD_F64:
		*(double *)member = 0.5;
		break;
	case RECORD_TEXT:
		*(char **)member = mem_text(row->key);
		break;
	case RECORD_ONE:
		fill(row->table, member);
		break;
	case RECORD_MAYBE:
		*(void **)member = mem_new(1, row->table->size);
		fill(row->table, *(void **)member);
		break;
	case RECORD_LIST:
		fill_list(row, record);
		break;
	}
}

static void fill(const struct record_table *table, void *record)
{
	for (uint32_t i = 0; i < table->count; i++)
		fill_member(&table->rows[i], record);
}

static void write_seed(const char *corpus, const char *name, const struct bytes *bytes)
{
	char *path = mem_format("%s/%s", corpus, name);
	FILE *file = fopen(path, "wb");

	if (!file || fwrite(bytes->data, 1, bytes->size, file) != bytes->size || fclose(file)) {
		perror(path);
		exit(1);
	}
	free(path);
}

static struct bytes pack(enum message_kind kind)
{
	const struct record_table *table = message_types[kind].table;
	const struct envelope envelope = {.kind = kind,
					  .lease = "0123456789abcdef0123456789abcdef",
					  .phase = 1,
					  .attempt = 1};
	void *body = mem_new(1, table->size);
	struct bytes bytes = {0};

	fill(table, body);
	codec_pack(&envelope, body, &bytes);
	record_release(table, body);
	free(body);
	return bytes;
}

int main(int argc, char **argv)
{
	struct bytes kept = {0};

	if (argc != 2) {
		fprintf(stderr, "usage: message_seeds CORPUS\n");
		return 2;
	}
	for (enum message_kind kind = 0; kind < MESSAGE_KINDS; kind++) {
		struct bytes bytes = pack(kind);
		char *name = mem_format("message_fuzz/ok-%s", message_types[kind].name);
		write_seed(argv[1], name, &bytes);
		framed_append(&kept, bytes.data, bytes.size);
		free(name);
		free(bytes.data);
	}
	write_seed(argv[1], "kept_frames_fuzz/ok-messages", &kept);
	free(kept.data);
	return 0;
}

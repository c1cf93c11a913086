#include "proto/codec.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/pack.h"

/* All of a frame but its body: [kind, lease, phase, attempt, body]. */
struct head {
	char *kind, *lease;
	uint32_t phase, attempt;
};
static const struct record_row head_rows[] = {
	{MEMBER(struct head, kind), .required = true},
	{MEMBER(struct head, lease), .required = true},
	{MEMBER(struct head, phase)},
	{MEMBER(struct head, attempt)},
};
static const struct record_table head_table =
	RECORD_TABLE(struct head, "head", head_rows, "What stands in front of a body.");

/* hello and refuse: ["muster", 1, kind, version, fingerprint, host, program or reason]. A build
 * that says more puts it behind, and another number in the second place. */
struct greeting {
	char *magic;
	uint64_t format;
	char *kind, *version, *fingerprint, *host, *text;
};
static const struct record_row greeting_rows[] = {
	{MEMBER(struct greeting, magic), .required = true},
	{MEMBER(struct greeting, format)},
	{MEMBER(struct greeting, kind), .required = true},
	{MEMBER(struct greeting, version), .required = true},
	{MEMBER(struct greeting, fingerprint), .required = true},
	{MEMBER(struct greeting, host), .required = true},
	{MEMBER(struct greeting, text), .required = true},
};
static const struct record_table greeting_table =
	RECORD_TABLE(struct greeting, "greeting", greeting_rows, "For ever the same.");

#define MAGIC        "muster"
#define FORMAT       1
#define HEAD_MAX     256u        /* bytes; a head that is right has at most 60 */
#define GREETING_MAX (16u << 10) /* of any build */

static bool is_greeting(enum message_kind kind)
{
	return kind == MESSAGE_HELLO || kind == MESSAGE_REFUSE;
}

static void pack_greeting(enum message_kind kind, const void *body, struct bytes *into)
{
	const struct hello *hello = body;
	const struct refuse *refuse = body;
	struct greeting greeting = {
		.magic = (char *)MAGIC, .format = FORMAT, .kind = (char *)message_types[kind].name};

	if (kind == MESSAGE_HELLO) {
		greeting.version = hello->version;
		greeting.fingerprint = hello->fingerprint;
		greeting.host = hello->host;
		greeting.text = hello->program;
	} else {
		greeting.version = refuse->version;
		greeting.fingerprint = refuse->fingerprint;
		greeting.host = refuse->host;
		greeting.text = refuse->reason;
	}
	assert(greeting.version && greeting.fingerprint && greeting.host && greeting.text);
	record_pack(&greeting_table, &greeting, into);
}

void codec_pack(const struct envelope *envelope, const void *body, struct bytes *into)
{
	const struct message_type *type = &message_types[envelope->kind];

	if (is_greeting(envelope->kind)) {
		pack_greeting(envelope->kind, body, into);
		return;
	}
	pack_array(into, head_table.count + 1);
	pack_text(into, type->name);
	pack_text(into, envelope->lease);
	pack_unsigned(into, envelope->phase);
	pack_unsigned(into, envelope->attempt);
	record_pack(type->table, body, into);
}

/* A frame that has been walked: one array of `count` elements that begin at `first`. */
struct frame {
	const unsigned char *data;
	size_t size, first;
	uint32_t count;
};

static int frame_read(struct frame *frame, const unsigned char *data, size_t size,
		      struct error *err)
{
	*frame = (struct frame){.data = data, .size = size};
	if (size > CODEC_FRAME_MAX) {
		error_set(err, ERROR_PROTOCOL, "frame of %zu bytes; at most %u are allowed", size,
			  CODEC_FRAME_MAX);
		return -1;
	}
	if (record_walk(data, size, 1, err) < 0)
		return -1;
	if ((data[0] & 0xf0) == 0x90) {
		frame->count = data[0] & 0x0f;
		frame->first = 1;
	} else if (data[0] == 0xdc) {
		frame->count = (uint32_t)data[1] << 8 | data[2];
		frame->first = 3;
	} else {
		error_set(err, ERROR_PROTOCOL, "frame begins with byte 0x%02x; it must be an array",
			  data[0]);
		return -1;
	}
	return 0;
}

/* Where the first `count` elements end. They are there: the frame has been walked. */
static size_t elements_end(const struct frame *frame, uint32_t count)
{
	size_t at = frame->first;

	for (uint32_t i = 0; i < count; i++)
		at += record_walk_one(frame->data + at, frame->size - at);
	return at;
}

/* Unpacks as many first elements as the table has rows, which end at `end`. */
static int unpack_first(const struct frame *frame, size_t end, size_t most,
			const struct record_table *table, void *record, struct error *err)
{
	size_t size = end - frame->first + 1;

	if (size > most) {
		error_set(err, ERROR_PROTOCOL, "%s of %zu bytes; at most %zu are allowed",
			  table->name, size, most);
		return -1;
	}
	unsigned char *array = mem_new(size, 1);
	array[0] = (unsigned char)(0x90 | table->count);
	memcpy(array + 1, frame->data + frame->first, size - 1);
	int result = record_unpack(table, record, array, size, err);
	free(array);
	return result;
}

static char *take(char **text)
{
	char *taken = *text;

	*text = NULL;
	return taken;
}

static int greeting_body(struct greeting *greeting, struct message *message, struct error *err)
{
	if (strcmp(greeting->kind, message_types[MESSAGE_HELLO].name) == 0) {
		struct hello *hello = message->body = mem_new(1, sizeof(*hello));
		message->envelope.kind = MESSAGE_HELLO;
		hello->version = take(&greeting->version);
		hello->fingerprint = take(&greeting->fingerprint);
		hello->host = take(&greeting->host);
		hello->program = take(&greeting->text);
	} else if (strcmp(greeting->kind, message_types[MESSAGE_REFUSE].name) == 0) {
		struct refuse *refuse = message->body = mem_new(1, sizeof(*refuse));
		message->envelope.kind = MESSAGE_REFUSE;
		refuse->version = take(&greeting->version);
		refuse->fingerprint = take(&greeting->fingerprint);
		refuse->host = take(&greeting->host);
		refuse->reason = take(&greeting->text);
	} else {
		error_set(err, ERROR_PROTOCOL, "greeting is a '%.40s'; it must be hello or refuse",
			  greeting->kind);
		return -1;
	}
	return 0;
}

static int unpack_greeting(const struct frame *frame, struct message *message, struct error *err)
{
	struct greeting greeting = {0};

	if (frame->count < greeting_table.count) {
		error_set(err, ERROR_PROTOCOL,
			  "greeting of %" PRIu32 " elements; it has at least "
			  "%" PRIu32,
			  frame->count, greeting_table.count);
		return -1;
	}
	if (unpack_first(frame, elements_end(frame, greeting_table.count), GREETING_MAX,
			 &greeting_table, &greeting, err) < 0)
		return -1;
	int result = greeting_body(&greeting, message, err);
	record_release(&greeting_table, &greeting);
	return result;
}

static int read_kind(const char *name, enum message_kind *kind, struct error *err)
{
	for (int i = 0; i < MESSAGE_KINDS; i++)
		if (!is_greeting((enum message_kind)i) &&
		    strcmp(message_types[i].name, name) == 0) {
			*kind = (enum message_kind)i;
			return 0;
		}
	error_set(err, ERROR_PROTOCOL, "message of unknown kind '%.40s'", name);
	return -1;
}

static int read_lease(const char *text, char lease[CODEC_LEASE_SIZE], struct error *err)
{
	size_t size = strlen(text);

	if (size >= CODEC_LEASE_SIZE || strspn(text, "0123456789abcdefABCDEF") != size) {
		error_set(err, ERROR_PROTOCOL, "lease '%.40s' is not at most %d hex digits", text,
			  CODEC_LEASE_SIZE - 1);
		return -1;
	}
	memcpy(lease, text, size + 1);
	return 0;
}

static int unpack_head(const struct frame *frame, size_t end, struct envelope *envelope,
		       struct error *err)
{
	struct head head = {0};

	if (unpack_first(frame, end, HEAD_MAX, &head_table, &head, err) < 0)
		return -1;
	int result = read_kind(head.kind, &envelope->kind, err);
	if (result == 0)
		result = read_lease(head.lease, envelope->lease, err);
	envelope->phase = head.phase;
	envelope->attempt = head.attempt;
	record_release(&head_table, &head);
	return result;
}

static int unpack_message(const struct frame *frame, struct message *message, struct error *err)
{
	if (frame->count != head_table.count + 1) {
		error_set(err, ERROR_PROTOCOL, "message of %" PRIu32 " elements; it has %" PRIu32,
			  frame->count, head_table.count + 1);
		return -1;
	}
	size_t end = elements_end(frame, head_table.count);
	if (unpack_head(frame, end, &message->envelope, err) < 0)
		return -1;
	const struct message_type *type = &message_types[message->envelope.kind];
	message->body = mem_new(1, type->table->size);
	if (record_unpack(type->table, message->body, frame->data + end, frame->size - end, err) ==
	    0)
		return 0;
	error_prefix(err, "message '%s'", type->name);
	free(message->body);
	return -1;
}

/* The magic is a text of one form only, whatever the builds. */
static bool has_magic(const struct frame *frame)
{
	static const char packed[] = "\xa6" MAGIC;
	size_t size = sizeof(packed) - 1;

	return frame->count && frame->size - frame->first >= size &&
	       memcmp(frame->data + frame->first, packed, size) == 0;
}

int codec_unpack(const unsigned char *data, size_t size, struct message *message, struct error *err)
{
	struct frame frame;

	*message = (struct message){0};
	if (frame_read(&frame, data, size, err) < 0)
		return -1;
	int result = has_magic(&frame) ? unpack_greeting(&frame, message, err)
				       : unpack_message(&frame, message, err);
	if (result < 0)
		*message = (struct message){0};
	else
		record_make_shown(message_types[message->envelope.kind].table, message->body);
	message->size = result < 0 ? 0 : size;
	return result;
}

void message_release(struct message *message)
{
	if (message->body)
		record_release(message_types[message->envelope.kind].table, message->body);
	free(message->body);
	*message = (struct message){0};
}

void codec_fingerprint(char text[17])
{
	uint64_t hash = record_fingerprint(RECORD_FINGERPRINT_START, &head_table);

	for (int i = 0; i < MESSAGE_KINDS; i++) {
		if (is_greeting((enum message_kind)i))
			continue;
		for (const char *c = message_types[i].name; *c; c++)
			hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
		hash = record_fingerprint(hash, message_types[i].table);
	}
	snprintf(text, 17, "%016" PRIx64, hash);
}

/* codec.h - messages to frames and back. */
#ifndef MUSTER_PROTO_CODEC_H
#define MUSTER_PROTO_CODEC_H

#include "common/error.h"
#include "common/record_msgpack.h"
#include "proto/messages.h"

/* A frame larger than this is never sent and never read. */
#define CODEC_FRAME_MAX (16u << 20)
/* Hex digits of a lease's token. */
#define CODEC_LEASE_SIZE 33

struct envelope {
	enum message_kind kind;
	char lease[CODEC_LEASE_SIZE]; /* empty before there is one */
	uint32_t phase;
	uint32_t attempt;
};

/* Appends the whole frame. `body` is the struct of the kind. hello and refuse are packed in their
 * own form, ["muster", 1, kind, version, fingerprint, host, reason or program], and ignore the rest
 * of the envelope. */
void codec_pack(const struct envelope *envelope, const void *body, struct bytes *into);

/* An unpacked message: `body` is heap memory of the kind's table. */
struct message {
	struct envelope envelope;
	void *body;
	size_t size; /* of the frame that it came in, bytes */
};
/* 0, or -1 (ERROR_PROTOCOL) with nothing owned. Everything that came is checked, and its texts are
 * made ones that may be shown (utf8.h). hello and refuse
 * of a later build, with another format number or more elements behind, are read too; their four
 * texts are never NULL, and 16 KiB is the most of them that is read. */
int codec_unpack(const unsigned char *data, size_t size, struct message *message,
		 struct error *err);
void message_release(struct message *message);

/* The fingerprint of all tables but hello and refuse: 16 hex digits and NUL. */
void codec_fingerprint(char text[17]);

#endif

#include "common/pattern.h"

#include <stdbool.h>
#include <string.h>

#include "common/pattern_aes.h"
#include "common/random.h"

#define INCREMENT  UINT64_C(0x9e3779b97f4a7c15)
#define HEAD_WORDS 3
#define AHEAD      2048 /* what a device has just written is in no near cache */
#define AT_ONCE    4096
#define LINE       64

static inline uint64_t rotate(uint64_t x, int by)
{
	return x << by | x >> (64 - by);
}

/* ---- keys ---- */

/* FNV-1a of a name and its end, so that ("a", "bc") and ("ab", "c") differ. */
static uint64_t hash_name(uint64_t hash, const char *name)
{
	do
		hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	while (*name++);
	return random_mix(hash);
}

uint64_t pattern_owner(const char *host, const char *target)
{
	return hash_name(hash_name(INCREMENT, host), target);
}

static struct pattern_key make_key(uint64_t secret, uint64_t hidden_owner, uint64_t generation,
				   struct pattern_shape shape)
{
	uint64_t what = generation << 16 | pattern_shape_pack(shape);
	uint64_t hidden_generation = random_mix(what + secret);

	return (struct pattern_key){
		.owner = hidden_owner,
		.generation = hidden_generation,
		.place = secret ^ hidden_owner ^ rotate(hidden_generation, 32),
		.stream = random_mix(hidden_owner + random_mix(hidden_generation)),
		.secret = secret,
		.shape = shape,
	};
}

struct pattern_key pattern_key(uint64_t seed, uint64_t owner, uint64_t generation,
			       struct pattern_shape shape)
{
	uint64_t secret = random_mix(seed + INCREMENT);

	return make_key(secret, random_mix(owner ^ secret), generation, shape);
}

/* ---- the head ---- */

/* No two words of it are alike in two sectors, owners or generations. */
static inline void make_head(uint64_t head[HEAD_WORDS], const struct pattern_key *key,
			     uint64_t sector)
{
	head[0] = random_mix(sector ^ key->place);
	head[1] = key->generation ^ rotate(head[0], 21);
	head[2] = key->owner ^ rotate(head[0], 42);
}

/* Undoes random_mix: the inverses of its multipliers modulo 2^64, and its shifts backwards. */
static uint64_t unmix(uint64_t x)
{
	x ^= x >> 31 ^ x >> 62;
	x *= UINT64_C(0x319642b2d24d8ec3);
	x ^= x >> 27 ^ x >> 54;
	x *= UINT64_C(0x96de1b173f119089);
	return x ^ x >> 30 ^ x >> 60;
}

struct pattern_place pattern_place(const void *sector, uint64_t seed)
{
	uint64_t secret = random_mix(seed + INCREMENT), head[HEAD_WORDS];

	memcpy(head, sector, sizeof(head));
	uint64_t generation = head[1] ^ rotate(head[0], 21), owner = head[2] ^ rotate(head[0], 42);
	uint64_t number = unmix(head[0]) ^ secret ^ owner ^ rotate(generation, 32);
	uint64_t what = unmix(generation) - secret;
	return (struct pattern_place){
		.owner = unmix(owner) ^ secret,
		.generation = what >> 16,
		.offset = number * PATTERN_SECTOR,
		.shape = pattern_shape_unpack(what),
	};
}

/* ---- sectors ---- */

/* Two lanes: what every 64-bit processor has. */
typedef uint64_t pair __attribute__((vector_size(16)));

struct lanes {
	pair a, b, c, d;
};

static inline uint64_t lane(uint64_t seed, uint64_t number)
{
	uint64_t x = seed + number * INCREMENT;

	x = (x ^ x >> 32) * UINT64_C(0xbf58476d1ce4e5b9);
	return x ^ x >> 29;
}

static inline struct lanes begin(const struct pattern_key *key, uint64_t number)
{
	uint64_t seed = number ^ key->stream;

	return (struct lanes){
		.a = {lane(seed, 0), lane(seed, 1)},
		.b = {lane(seed, 2), lane(seed, 3)},
		.c = {lane(seed, 4), lane(seed, 5)},
		.d = {lane(seed, 6), lane(seed, 7)},
	};
}

static inline pair xorshift(pair x)
{
	x ^= x << 13;
	x ^= x >> 7;
	return x ^ x << 17;
}

static inline void step(struct lanes *lanes)
{
	lanes->a = xorshift(lanes->a);
	lanes->b = xorshift(lanes->b);
	lanes->c = xorshift(lanes->c);
	lanes->d = xorshift(lanes->d);
}

/* Of the sector no less than `bytes`. */
static inline void fill_sector(unsigned char *at, const struct pattern_key *key, uint64_t sector,
			       size_t bytes)
{
	uint64_t head[HEAD_WORDS];

	make_head(head, key, sector);
	struct lanes lanes = begin(key, head[0]);
	for (size_t i = 0; i < bytes; i += sizeof(lanes)) {
		memcpy(at + i, &lanes, sizeof(lanes));
		step(&lanes);
	}
	memcpy(at, head, sizeof(head));
}

static void fill_plain(unsigned char *at, size_t size, const struct pattern_key *key,
		       uint64_t offset)
{
	for (size_t i = 0; i < size; i += PATTERN_SECTOR)
		fill_sector(at + i, key, (offset + i) / PATTERN_SECTOR, PATTERN_SECTOR);
}

/* ---- other shapes ---- */

/* A stretch that is of one key: a copy is of another than what is around it. */
struct stretch {
	struct pattern_key key;
	uint64_t offset;
	size_t size;
};

static struct stretch cut(const struct pattern_key *key, uint64_t offset, size_t size)
{
	struct stretch s = {.key = *key, .offset = offset, .size = size};
	uint64_t in_unit = PATTERN_UNIT - offset % PATTERN_UNIT;

	if (!key->shape.dedupe)
		return s;
	if (in_unit < size)
		s.size = (size_t)in_unit;
	if (pattern_shape_is_copy(key->shape, offset, &s.offset))
		s.key = make_key(key->secret, key->owner, PATTERN_SHARED, key->shape);
	return s;
}

static bool is_of_our_stream(const struct stretch *s)
{
	return s->key.shape.source == PATTERN_RANDOM && !s->key.shape.compress;
}

/* From the stream's bytes to the end. */
static void fill_rest(unsigned char *at, size_t random_bytes)
{
	memset(at + random_bytes, at[random_bytes - 1], PATTERN_SECTOR - random_bytes);
}

static void fill_compressible(unsigned char *at, const struct stretch *s)
{
	size_t random_bytes = pattern_shape_random_bytes(s->key.shape);

	for (size_t i = 0; i < s->size; i += PATTERN_SECTOR) {
		fill_sector(at + i, &s->key, (s->offset + i) / PATTERN_SECTOR, random_bytes);
		fill_rest(at + i, random_bytes);
	}
}

static void fill_aes(unsigned char *at, const struct stretch *s)
{
	const uint64_t aes_key[2] = {s->key.stream, random_mix(s->key.place)};
	size_t random_bytes = pattern_shape_random_bytes(s->key.shape);
	uint64_t head[HEAD_WORDS];

	pattern_aes(at, s->size, aes_key, s->offset / 16);
	for (size_t i = 0; i < s->size; i += PATTERN_SECTOR) {
		make_head(head, &s->key, (s->offset + i) / PATTERN_SECTOR);
		memcpy(at + i, head, sizeof(head));
		fill_rest(at + i, random_bytes);
	}
}

static void fill_stretch(unsigned char *at, const struct stretch *s)
{
	if (s->key.shape.source == PATTERN_ZEROS)
		memset(at, 0, s->size);
	else if (s->key.shape.source == PATTERN_AES_CTR)
		fill_aes(at, s);
	else if (is_of_our_stream(s))
		fill_plain(at, s->size, &s->key, s->offset);
	else
		fill_compressible(at, s);
}

void pattern_fill(void *buffer, size_t size, struct pattern_key key, uint64_t offset)
{
	unsigned char *at = buffer;

	if (pattern_shape_is_plain(key.shape)) {
		fill_plain(at, size, &key, offset);
		return;
	}
	while (size) {
		struct stretch s = cut(&key, offset, size);
		fill_stretch(at, &s);
		at += s.size;
		offset += s.size;
		size -= s.size;
	}
}

/* ---- checking ---- */

static bool is_right(const unsigned char *at, const struct pattern_key *key, uint64_t sector)
{
	uint64_t head[HEAD_WORDS];
	struct lanes found, wrong = {0};

	make_head(head, key, sector);
	struct lanes lanes = begin(key, head[0]);
	if (memcmp(at, head, sizeof(head)) != 0)
		return false;
	for (size_t i = 0; i < PATTERN_SECTOR; i += sizeof(lanes)) {
		__builtin_prefetch(at + i + AHEAD);
		memcpy(&found, at + i, sizeof(found));
		if (i == 0)
			found.a = lanes.a, found.b[0] = lanes.b[0];
		wrong.a |= found.a ^ lanes.a;
		wrong.b |= found.b ^ lanes.b;
		wrong.c |= found.c ^ lanes.c;
		wrong.d |= found.d ^ lanes.d;
		step(&lanes);
	}
	wrong.a |= wrong.b | wrong.c | wrong.d;
	return !(wrong.a[0] | wrong.a[1]);
}

static size_t check_plain(const unsigned char *at, size_t size, const struct pattern_key *key,
			  uint64_t offset)
{
	unsigned char want[PATTERN_SECTOR];

	for (size_t done = 0; done < size; done += PATTERN_SECTOR) {
		uint64_t sector = (offset + done) / PATTERN_SECTOR;
		if (is_right(at + done, key, sector))
			continue;
		fill_sector(want, key, sector, PATTERN_SECTOR);
		while (at[done] == want[done % PATTERN_SECTOR])
			done++;
		return done;
	}
	return size;
}

/* Made again, a little at a time, and compared. Calls of OpenSSL are worth more at once. */
static size_t check_again(const unsigned char *at, const struct stretch *whole)
{
	bool is_aes = whole->key.shape.source == PATTERN_AES_CTR;
	const size_t piece = is_aes ? AT_ONCE : PATTERN_SECTOR;
	unsigned char want[AT_ONCE];
	struct stretch s = *whole;

	for (size_t done = 0; done < whole->size; done += s.size) {
		s.offset = whole->offset + done;
		s.size = whole->size - done < piece ? whole->size - done : piece;
		for (size_t i = 0; i < s.size; i += LINE)
			__builtin_prefetch(at + done + AHEAD + i);
		fill_stretch(want, &s);
		for (size_t i = 0; memcmp(at + done, want, s.size) != 0; i++)
			if (at[done + i] != want[i])
				return done + i;
	}
	return whole->size;
}

static size_t check_shaped(const unsigned char *at, size_t size, const struct pattern_key *key,
			   uint64_t offset)
{
	for (size_t done = 0; done < size;) {
		struct stretch s = cut(key, offset + done, size - done);
		size_t right = is_of_our_stream(&s)
				       ? check_plain(at + done, s.size, &s.key, s.offset)
				       : check_again(at + done, &s);
		done += right;
		if (right < s.size)
			return done;
	}
	return size;
}

size_t pattern_check(const void *buffer, size_t size, struct pattern_key key, uint64_t offset)
{
	return pattern_shape_is_plain(key.shape) ? check_plain(buffer, size, &key, offset)
						 : check_shaped(buffer, size, &key, offset);
}

/* By the key that it names at the place that it names: a copy's is that of its home. */
void pattern_fill_said(void *sector, uint64_t seed, const struct pattern_place *place)
{
	const struct stretch s = {
		.key = pattern_key(seed, place->owner, place->generation, place->shape),
		.offset = place->offset,
		.size = PATTERN_SECTOR,
	};

	fill_stretch(sector, &s);
}

bool pattern_is_proven(const void *sector, uint64_t seed, const struct pattern_place *place)
{
	unsigned char want[PATTERN_SECTOR];

	pattern_fill_said(want, seed, place);
	return memcmp(want, sector, sizeof(want)) == 0;
}

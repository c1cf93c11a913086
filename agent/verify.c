#include "agent/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

struct verify_part {
	uint64_t owner;
	const struct written_range *ranges;
	uint32_t count, last; /* last: of the range that was looked up last */
};

/* ---- what must stand where ---- */

static int refuse(struct error *err, const struct load_target *target, const struct part *part,
		  uint64_t offset, const char *why)
{
	error_set(err, ERROR_REFUSED,
		  "target '%s' cannot be verified: %s at offset %llu of '%s'; write it in a phase "
		  "before, or name the run that did with expect",
		  target->target->name, why, (unsigned long long)offset, part->path);
	return -1;
}

/* A file's gaps will be laid out. */
static int check_part(const struct load_target *target, const struct part *part,
		      const struct written *written, struct error *err)
{
	uint32_t count;
	uint64_t from, to;

	if (part->kind == PART_DEVICE &&
	    written_gap(written, part->path, 0, part->used_bytes, &from, &to))
		return refuse(err, target, part, from, "this run has not surely written");
	const struct written_range *ranges = written_ranges(written, part->path, &count);
	for (uint32_t i = 0; i < count && ranges[i].from < part->used_bytes; i++) {
		if (ranges[i].shape.source == PATTERN_ZEROS)
			return refuse(err, target, part, ranges[i].from,
				      "zeros, which tell nothing, were written");
		if (!ranges[i].owner)
			return refuse(err, target, part, ranges[i].from,
				      "two targets have written");
	}
	return 0;
}

/* A block that is read while it is written can be anything. Sequential access and full coverage
 * come to each block once in a pass; random access of one worker stays in its region (offsets.h).
 */
static int check_mix(const struct load_target *target, const struct phase *phase, struct error *err)
{
	bool is_random =
		phase->access == PHASE_ACCESS_RANDOM && phase->coverage != PHASE_COVERAGE_FULL;

	if (phase->op != PHASE_OP_MIXED || !is_random || phase->queue_depth == 1)
		return 0;
	error_set(err, ERROR_REFUSED,
		  "target '%s' cannot be verified: reads could meet writes of the same block; use "
		  "queue_depth: 1, coverage: full, or sequential access",
		  target->target->name);
	return -1;
}

int verify_is_possible(const struct load_target *target, const struct phase *phase,
		       const struct written *written, struct error *err)
{
	for (uint32_t i = 0; i < target->parts_count; i++) {
		const struct part *part = target->parts[i];
		if (part->kind == PART_NULL) {
			error_set(err, ERROR_REFUSED,
				  "target '%s' is null, which holds no data that could be "
				  "verified: leave verify out",
				  target->target->name);
			return -1;
		}
		if (check_part(target, part, written, err))
			return -1;
	}
	return check_mix(target, phase, err);
}

/* ---- life ---- */

void verify_init(struct verify *verify, const struct verify_setup *setup)
{
	*verify = (struct verify){.setup = *setup};
	verify->parts = mem_new(setup->target->parts_count, sizeof(*verify->parts));
}

void verify_release(struct verify *verify)
{
	free(verify->parts);
	verify->parts = NULL;
}

void verify_begin(struct verify *verify)
{
	const struct load_target *target = verify->setup.target;

	for (uint32_t i = 0; i < target->parts_count; i++) {
		struct verify_part *part = &verify->parts[i];
		part->owner = pattern_owner(verify->setup.host, target->parts[i]->target->name);
		part->ranges =
			written_ranges(verify->setup.written, target->parts[i]->path, &part->count);
	}
}

/* ---- the pieces of a request ---- */

/* A stretch of one part that must be of one owner and generation. */
struct piece {
	uint32_t part;
	uint64_t offset; /* in the part */
	const char *data;
	size_t size;
	struct expected expected;
};

/* Sequential reads are nearly always in the range of the read before. */
static const struct written_range *find_range(struct verify_part *part, uint64_t offset)
{
	uint32_t low = 0, high = part->count;

	if (part->last < part->count && part->ranges[part->last].from <= offset &&
	    offset < part->ranges[part->last].to)
		return &part->ranges[part->last];
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (part->ranges[middle].to <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	part->last = low;
	return low < part->count && part->ranges[low].from <= offset ? &part->ranges[low] : NULL;
}

/* Cuts the first piece off [data, data + length) at `offset` of the part. */
static struct piece cut(const struct verify *v, uint32_t number, uint64_t offset, const char *data,
			size_t length, bool by_unit)
{
	struct verify_part *part = &v->parts[number];
	const struct written_range *range = find_range(part, offset);
	const struct phase *phase = v->setup.phase;
	struct piece piece = {.part = number, .offset = offset, .data = data, .size = length};

	piece.expected = (struct expected){.seed = v->setup.seed, .owner = part->owner};
	if (!range) /* verify_is_possible and the lay-out see to it that there is one */
		return piece;
	uint64_t unit = range->unit;
	piece.expected = (struct expected){
		.seed = range->seed,
		.owner = range->owner,
		.oldest = range->oldest,
		.newest = range->newest,
		.shape = range->shape,
	};
	if (phase_writes(phase)) { /* what this phase writes meanwhile */
		piece.expected.newest = UINT64_MAX;
		unit = written_unit(unit, phase_targets_unit(v->setup.target, phase));
	}
	if (range->to - offset < piece.size)
		piece.size = (size_t)(range->to - offset);
	bool is_exact = piece.expected.oldest == piece.expected.newest;
	if (unit && (by_unit || !is_exact) && unit - offset % unit < piece.size)
		piece.size = (size_t)(unit - offset % unit);
	return piece;
}

/* Every piece of the request until `visit` answers false. */
static bool walk(struct verify *v, const struct request *request, bool by_unit,
		 bool (*visit)(void *context, const struct piece *piece), void *context)
{
	for (uint32_t p = 0; p < v->setup.target->parts_count; p++) {
		const struct io *io = &request->ios[p];
		uint64_t offset = io->offset;
		for (int i = 0; io->length && i < io->vector_count; i++) {
			const char *data = io->vector[i].iov_base;
			size_t left = io->vector[i].iov_len;
			while (left) {
				struct piece piece = cut(v, p, offset, data, left, by_unit);
				if (!visit(context, &piece))
					return false;
				data += piece.size;
				offset += piece.size;
				left -= piece.size;
			}
		}
	}
	return true;
}

static bool is_right(void *context, const struct piece *piece)
{
	(void)context;
	return miscompare_is_right(piece->data, piece->size, piece->offset, &piece->expected);
}

/* ---- a wrong block ---- */

struct search {
	const char *buffer;
	struct miscompare miscompare;
	size_t at; /* of the first wrong byte in the request */
	uint32_t part;
	bool has_found;
};

/* A stripe's pieces do not come in the order of the request. */
static bool look(void *context, const struct piece *piece)
{
	struct search *search = context;
	size_t begin = (size_t)(piece->data - search->buffer);
	struct miscompare miscompare;

	if (search->has_found && begin > search->at)
		return true;
	if (!miscompare_find(piece->data, piece->size, piece->offset, &piece->expected,
			     &miscompare))
		return true;
	search->miscompare = miscompare;
	search->at = begin + miscompare.at;
	search->part = piece->part;
	search->has_found = true;
	return true;
}

static char *describe(const struct verify *v, const struct miscompare *m, uint32_t part,
		      const struct place *block, uint64_t at)
{
	const struct load_target *target = v->setup.target;
	const unsigned long long generation = m->is.generation, wanted = m->wanted;
	char where[192] = "", what[192] = "";

	if (target->parts_count > 1)
		snprintf(where, sizeof(where), " (on part '%.150s')",
			 target->parts[part]->target->name);
	if (generation == PATTERN_SHARED && m->kind != MISCOMPARE_BIT_FLIPS)
		snprintf(what, sizeof(what), ": a copy (dedupe) of unit %llu where another stood",
			 (unsigned long long)(m->is.offset / PATTERN_UNIT));
	else if (m->kind == MISCOMPARE_STALE || m->kind == MISCOMPARE_TORN)
		snprintf(what, sizeof(what), ": generation %llu where %llu was written last",
			 generation, wanted);
	else if (m->kind == MISCOMPARE_BIT_FLIPS)
		snprintf(what, sizeof(what), ": %u bit%s of a sector", m->bits,
			 m->bits == 1 ? "" : "s");
	else if (m->kind == MISCOMPARE_MISDIRECTED)
		snprintf(what, sizeof(what), ": data of offset %llu%s, generation %llu",
			 (unsigned long long)m->is.offset,
			 m->is.owner != m->owner   ? " of another target"
			 : target->parts_count > 1 ? " of this part"
						   : "",
			 generation);
	return mem_format("block of %llu bytes at offset %llu, first wrong byte at %llu%s: %s%s",
			  (unsigned long long)block->length, (unsigned long long)block->offset,
			  (unsigned long long)at, where, miscompare_names[m->kind], what);
}

struct window {
	const char *from; /* in the request's buffer */
	size_t size;
	char *wanted;
};

static bool make_wanted(void *context, const struct piece *piece)
{
	struct window *window = context;
	size_t size = piece->size, skip = 0;
	struct pattern_key key =
		miscompare_wanted(piece->data, size, piece->offset, &piece->expected);
	const char *end = window->from + window->size;

	if (piece->data < window->from)
		skip = (size_t)(window->from - piece->data);
	if (piece->data + size > end)
		size = piece->data < end ? (size_t)(end - piece->data) : 0;
	if (skip < size)
		pattern_fill(window->wanted + (piece->data + skip - window->from), size - skip, key,
			     piece->offset + skip);
	return true;
}

/* Of a large block, the part about the first wrong byte. */
static void save(struct verify *v, const struct request *request, const struct search *search)
{
	uint64_t block = request->place.length;
	uint64_t most = block < EVIDENCE_BYTES_MOST ? block : EVIDENCE_BYTES_MOST;
	uint64_t begin = search->at / most * most;
	uint32_t place;

	begin = begin > block - most ? block - most : begin;
	if (!evidence_take(v->setup.evidence, &place))
		return;
	struct window window = {.from = request->buffer + begin, .size = (size_t)most};
	window.wanted = mem_new(window.size, 1);
	walk(v, request, true, make_wanted, &window);
	char *about = describe(v, &search->miscompare, search->part, &request->place,
			       request->place.offset + search->at);
	char *text = mem_format("%s\nhere: %llu bytes at offset %llu; wanted, then found\n", about,
				(unsigned long long)most,
				(unsigned long long)(request->place.offset + begin));
	evidence_put(v->setup.evidence, place, text, window.wanted, window.from, window.size);
	free(about);
	free(text);
	free(window.wanted);
}

static void note(struct verify *v, const struct request *request)
{
	struct search search = {.buffer = request->buffer};

	walk(v, request, true, look, &search);
	if (!search.has_found)
		return;
	uint64_t at = request->place.offset + search.at;
	if (!v->blocks || at < v->first_at) {
		v->first = search.miscompare;
		v->first_part = search.part;
		v->first_block = request->place;
		v->first_at = at;
	}
	v->blocks++;
	v->kinds[search.miscompare.kind]++;
	save(v, request, &search);
}

void verify_block(struct verify *v, const struct request *request)
{
	v->bytes += request->place.length;
	if (!walk(v, request, false, is_right, NULL))
		note(v, request);
}

/* ---- after ---- */

void verify_report(const struct verify *v, struct miscompares *into)
{
	into->verified_bytes += v->bytes;
	if (!v->blocks)
		return;
	if (!into->blocks || v->first_at < into->first_offset) {
		bool is_other = v->first.kind == MISCOMPARE_MISDIRECTED &&
				v->first.is.owner != v->first.owner;
		free(into->first);
		into->first = describe(v, &v->first, v->first_part, &v->first_block, v->first_at);
		into->first_offset = v->first_at;
		into->first_owner = is_other ? v->first.is.owner : 0;
	}
	into->blocks += v->blocks;
	into->stale += v->kinds[MISCOMPARE_STALE];
	into->misdirected += v->kinds[MISCOMPARE_MISDIRECTED];
	into->torn += v->kinds[MISCOMPARE_TORN];
	into->zeros += v->kinds[MISCOMPARE_ZEROS];
	into->bit_flips += v->kinds[MISCOMPARE_BIT_FLIPS];
	into->foreign += v->kinds[MISCOMPARE_FOREIGN];
}

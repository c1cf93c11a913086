#include "agent/offsets.h"

uint64_t offsets_share(uint64_t total, uint32_t workers, uint32_t worker)
{
	return total / workers + (worker < total % workers);
}

/* The first block of a contiguous region: what the workers before it have. */
static uint64_t region_first(uint64_t blocks, uint32_t workers, uint32_t worker)
{
	uint64_t larger = blocks % workers;

	return blocks / workers * worker + (worker < larger ? worker : larger);
}

static uint64_t share_of_passes(const struct offsets *o, const struct phase *phase)
{
	uint64_t region = o->count * o->block_size, amount;

	/* A null target can be as large as it likes; its last pass is as good as any. */
	return __builtin_mul_overflow(region, phase_passes(phase), &amount) ? UINT64_MAX - 1
									    : amount;
}

/* Whole passes first, so that an amount of n extents is n passes of every worker, and then the
 * worker's share of what remains. */
static uint64_t share_of_amount(const struct offsets *o, const struct phase *phase, uint32_t worker)
{
	if (phase_passes(phase))
		return share_of_passes(o, phase);
	if (!phase->size_bytes)
		return UINT64_MAX;
	uint64_t amount = phase->size_bytes / phase->block_size;
	uint64_t blocks = amount / o->blocks * o->count +
			  offsets_share(amount % o->blocks, phase->workers, worker);
	return blocks * phase->block_size;
}

static void set_sizes(struct offsets *o, const struct phase *phase)
{
	uint32_t hundredths = 0;

	o->sizes_count = phase->block_mix_count;
	for (uint32_t i = 0; i < o->sizes_count; i++) {
		uint64_t bytes = phase->block_mix[i].size;
		o->sizes[i] = (struct offsets_size){
			.bytes = bytes,
			.blocks = o->blocks * o->block_size / bytes,
			.count = o->count * o->block_size / bytes,
		};
		for (uint32_t k = 0; k < phase->block_mix[i].share; k++)
			o->size_of[hundredths++] = (uint8_t)i;
	}
}

static enum offsets_walk walk_of(const struct phase *phase)
{
	if (phase->access == PHASE_ACCESS_SEQUENTIAL)
		return OFFSETS_WALK_SEQUENTIAL;
	return phase_covers(phase) ? OFFSETS_WALK_FULL : OFFSETS_WALK_RANDOM;
}

static enum io_kind kind_of(const struct phase *phase)
{
	if (phase->op == PHASE_OP_TRIM)
		return IO_TRIM;
	return phase->op == PHASE_OP_READ ? IO_READ : IO_WRITE;
}

static void begin_order(struct offsets *o)
{
	if (o->walk == OFFSETS_WALK_FULL)
		permutation_begin(&o->order, o->count, random_next(&o->random));
}

void offsets_init(struct offsets *o, const struct phase *phase, uint64_t used_bytes,
		  uint32_t worker, uint64_t seed, uint64_t generation)
{
	bool interleaved = phase->split == PHASE_SPLIT_INTERLEAVED;

	*o = (struct offsets){
		.block_size = phase->block_size,
		.blocks = used_bytes / phase->block_size,
		.step = interleaved ? phase->workers : 1,
		.generation = generation,
		.walk = walk_of(phase),
		.reads_own = phase->op == PHASE_OP_MIXED && phase->verify,
		.kind = kind_of(phase),
		.is_mixed = phase->op == PHASE_OP_MIXED,
		.read_percent = phase->read_percent,
		.random = {.state = random_mix(seed ^ random_mix(worker + 1))},
	};
	o->first = interleaved ? worker : region_first(o->blocks, phase->workers, worker);
	o->count = offsets_share(o->blocks, phase->workers, worker);
	o->left = share_of_amount(o, phase, worker);
	set_sizes(o, phase);
	begin_order(o);
}

static enum io_kind choose_kind(struct offsets *o)
{
	return random_below(&o->random, 100) < o->read_percent ? IO_READ : IO_WRITE;
}

static uint64_t choose_block(struct offsets *o, enum io_kind kind)
{
	if (o->walk == OFFSETS_WALK_SEQUENTIAL)
		return o->first + o->next * o->step;
	if (o->walk == OFFSETS_WALK_FULL)
		return o->first + permutation_next(&o->order) * o->step;
	if (kind == IO_READ && !o->reads_own)
		return random_below(&o->random, o->blocks);
	return o->first + random_below(&o->random, o->count) * o->step;
}

/* Not inline, as the next one: most loads are of one size, and their way is to be short. */
__attribute__((noinline)) static void choose_of_mix(struct offsets *o, struct place *place)
{
	place->size = o->size_of[random_below(&o->random, 100)];
	const struct offsets_size *size = &o->sizes[place->size];

	place->length = size->bytes;
	if (place->kind == IO_READ && !o->reads_own)
		place->offset = random_below(&o->random, size->blocks) * size->bytes;
	else
		place->offset = o->first * o->block_size +
				random_below(&o->random, size->count) * size->bytes;
}

__attribute__((noinline)) static void begin_pass(struct offsets *o)
{
	o->next = 0;
	o->generation++;
	begin_order(o);
}

bool offsets_next(struct offsets *o, struct place *place)
{
	if (!o->left)
		return false;
	place->kind = o->is_mixed ? choose_kind(o) : o->kind;
	place->generation = o->generation;
	if (o->sizes_count) {
		choose_of_mix(o, place);
	} else {
		place->offset = choose_block(o, place->kind) * o->block_size;
		place->length = o->block_size;
	}
	if (o->left != UINT64_MAX)
		o->left -= place->length < o->left ? place->length : o->left;
	if (++o->next == o->count)
		begin_pass(o);
	return true;
}

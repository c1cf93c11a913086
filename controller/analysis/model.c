#include "controller/analysis/model.h"

#include <math.h>

#include "common/text.h"

#define PARTS_DEPTH 8 /* of targets over targets */

double model_lane(double gt_per_s)
{
	static const struct {
		double gt_per_s, bytes_per_s;
	} lanes[] = {
		{2.5, 2.5e9 * 8 / 10 / 8},  {3, 3e9 * 8 / 10 / 8},
		{5, 5e9 * 8 / 10 / 8},      {6, 6e9 * 8 / 10 / 8},
		{8, 8e9 * 128 / 130 / 8},   {12, 12e9 * 8 / 10 / 8},
		{16, 16e9 * 128 / 130 / 8}, {22.5, 22.5e9 * 128 / 150 / 8},
		{32, 32e9 * 128 / 130 / 8}, {64, 64e9 * 236 / 256 / 8},
	};

	for (size_t i = 0; i < sizeof(lanes) / sizeof(lanes[0]); i++)
		if (fabs(gt_per_s - lanes[i].gt_per_s) < 0.01)
			return lanes[i].bytes_per_s;
	return NAN;
}

/* An Ethernet packet's way takes 38 bytes beside it (preamble 8, header 14, checksum 4, gap 12),
 * and in it are the headers of IPv4 (20) and of TCP with time stamps (32). */
static double ethernet_payload(double gbit_per_s, double mtu)
{
	return gbit_per_s * 1e9 / 8 * (mtu - 52) / (mtu + 38);
}

double model_link(const struct fact_link *link)
{
	if (link->mtu)
		return ethernet_payload(link->gt_per_s, link->mtu) * link->width;
	return model_lane(link->gt_per_s) * link->width;
}

/* Disks' worth of data that move at once, reading and writing, and what a small write costs. */
static const struct {
	double read_share, write_share; /* of all disks */
	uint32_t parity;
	double penalty;
} levels[] = {
	[FACT_LEVEL_SINGLE] = {1, 1, 0, 1}, [FACT_LEVEL_RAID0] = {1, 1, 0, 1},
	[FACT_LEVEL_RAID1] = {1, 0, 0, 2},  [FACT_LEVEL_RAID10] = {1, 0.5, 0, 2},
	[FACT_LEVEL_RAID5] = {1, 1, 1, 4},  [FACT_LEVEL_RAID6] = {1, 1, 2, 6},
	[FACT_LEVEL_RAIDZ1] = {1, 1, 1, 0}, [FACT_LEVEL_RAIDZ2] = {1, 1, 2, 0},
	[FACT_LEVEL_RAIDZ3] = {1, 1, 3, 0},
};

double model_media(enum fact_level level, uint32_t disks, double disk_rate, bool writes)
{
	if (level == FACT_LEVEL_UNKNOWN || disks <= levels[level].parity || !(disk_rate > 0))
		return NAN;
	if (level == FACT_LEVEL_RAID1 && writes)
		return disk_rate;
	double share = writes ? levels[level].write_share : levels[level].read_share;
	return (disks * share - levels[level].parity) * disk_rate;
}

double model_iops(enum fact_level level, uint32_t disks, double iops, bool writes)
{
	if (level == FACT_LEVEL_UNKNOWN || disks <= levels[level].parity || !(iops > 0))
		return NAN;
	if (!levels[level].penalty)
		return iops;
	if (level == FACT_LEVEL_RAID1 && writes)
		return iops;
	return disks * iops / (writes ? levels[level].penalty : 1);
}

double model_mix(double read_iops, double write_iops, double reads)
{
	return 1 / (reads / read_iops + (1 - reads) / write_iops);
}

double model_txg_period_s(double memory_bytes, double bytes_per_s)
{
	double most = fmin(memory_bytes / 10, fmin(memory_bytes / 4, 4.0 * (1 << 30)));

	return fmin(5, 0.2 * most / bytes_per_s);
}

double model_txg_delay_ns(double dirty)
{
	const double scale = 500e3, from = 0.6;

	if (dirty <= from)
		return 0;
	return dirty >= 1 ? 100e6 : fmin(scale * (dirty - from) / (1 - dirty), 100e6);
}

double model_hit_share(double cache, double working_set)
{
	return fmin(1, cache / working_set);
}

static void lower(struct model_bound *bound, double to, const char *what)
{
	if (!(to > 0) || bound->bytes_per_s <= to)
		return;
	*bound = (struct model_bound){.bytes_per_s = to, .what = what};
}

static void lower_to_link(struct model_bound *bound, const struct fact_link *link)
{
	lower(bound, model_link(link), link->link);
	if (bound->what == link->link)
		bound->link = link;
}

bool model_carries(const struct fact_link *link, const char *target)
{
	for (uint32_t t = 0; t < link->targets_count; t++)
		if (text_is(link->targets[t].name, target))
			return true;
	return false;
}

static const struct target *find_target(const struct plan *plan, const char *name)
{
	for (uint32_t t = 0; plan && t < plan->targets_count; t++)
		if (text_is(plan->targets[t].name, name))
			return &plan->targets[t];
	return NULL;
}

static struct model_bound bound_of(const struct known *known, const struct plan *plan,
				   const struct phase *asked, const char *name, int depth);

/* No stripe, mirror or pool moves more than its parts at once. NAN: of one nothing is known. */
static double together(const struct known *known, const struct plan *plan,
		       const struct phase *asked, const char *name, int depth)
{
	const struct target *target = find_target(plan, name);
	const struct name *parts = target && target->stripe_count ? target->stripe
				   : target                       ? target->members
								  : NULL;
	uint32_t count = !parts                 ? 0
			 : target->stripe_count ? target->stripe_count
						: target->members_count;
	double sum = count && depth < PARTS_DEPTH ? 0 : (double)NAN;

	for (uint32_t i = 0; i < count && !isnan(sum); i++)
		sum += bound_of(known, plan, asked, parts[i].name, depth + 1).bytes_per_s;
	return sum;
}

static struct model_bound bound_of(const struct known *known, const struct plan *plan,
				   const struct phase *asked, const char *name, int depth)
{
	const struct fact_storage *storage = known_storage(known, name);
	struct model_bound bound = {.bytes_per_s = NAN};
	const struct fact_link *link;

	if (storage && asked->access == PHASE_ACCESS_SEQUENTIAL)
		lower(&bound,
		      model_media(storage->level, storage->disks, (double)storage->disk_rate,
				  phase_writes(asked)),
		      "the disks");
	if (storage) {
		lower(&bound, (double)storage->link_rate, "the link");
		lower(&bound, (double)storage->controller_rate, "the controller");
	}
	for (uint32_t l = 0; (link = known_link(known, l)); l++)
		if (model_carries(link, name))
			lower_to_link(&bound, link);
	lower(&bound, together(known, plan, asked, name, depth), "all that it is made of");
	return bound;
}

struct model_bound model_bound(const struct known *known, const struct plan *plan,
			       const struct phase *asked, const char *target)
{
	return bound_of(known, plan, asked, target, 0);
}

double model_random(const struct known *known, const struct phase *asked, const char *target)
{
	const struct fact_storage *storage = known_storage(known, target);

	if (!storage || asked->access != PHASE_ACCESS_RANDOM || !storage->disk_iops)
		return NAN;
	double iops = (double)storage->disk_iops;
	double read = model_iops(storage->level, storage->disks, iops, false);
	double write = model_iops(storage->level, storage->disks, iops, true);
	if (asked->op == PHASE_OP_MIXED)
		return model_mix(read, write, asked->read_percent / 100.0);
	return phase_writes(asked) ? write : read;
}

#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "common/memory.h"
#include "common/record_csv.h"
#include "common/record_yaml.h"
#include "common/text.h"
#include "common/units.h"
#include "controller/foreign.h"
#include "controller/foreign_inside.h"
#include "controller/plan_check.h"

#define TABLE_MAX ((size_t)1 << 30)
#define TIME_MOST 1e9  /* s */
#define MOST      9e15 /* what a double counts exactly */

struct check {
	struct foreign *foreign;
	const struct yaml_node *root;
	const struct record_places *places;
	struct yaml_errors *errors;
	const char *directory; /* NULL: no files */
	struct name_set hosts; /* that the file lists */
	bool many_hosts;       /* in the phase that is looked at: a row must say of which it is */
	bool failed;
};

static void complain_at(struct check *check, const void *member, const char *text)
{
	const struct record_place *place = record_places_find(check->places, member);

	yaml_errors_add(check->errors, place ? place->line : 1, place ? place->column : 1, "%s",
			text);
	check->failed = true;
}

/* Takes `text`. */
static void complain(struct check *check, const void *member, char *text)
{
	complain_at(check, member, text);
	free(text);
}

static bool is_written(const struct check *check, const void *member)
{
	return record_places_find(check->places, member) != NULL;
}

/* ---- files ---- */

/* Into the list; `file` is what the person called it. */
static void read_table(struct check *check, char *const *file, const struct record_table *table,
		       void **list, uint32_t *count)
{
	const char *own = check->errors->file;
	struct error err = {0};
	struct bytes bytes;

	if (!*file)
		return;
	if (!check->directory) {
		complain(check, file, mem_format("'%s': no files can be named here", *file));
		return;
	}
	char *path = **file == '/' ? mem_text(*file) : mem_format("%s/%s", check->directory, *file);
	if (file_read(path, TABLE_MAX, &bytes, &err) < 0) {
		complain_at(check, file, err.text);
	} else {
		check->errors->file = path;
		if (!record_csv_read(table, list, count, (char *)bytes.data, bytes.size,
				     check->errors))
			check->failed = true;
		else if (!*count) {
			yaml_errors_add_file(check->errors, "has no line beneath the names of its "
							    "columns");
			check->failed = true;
		}
		check->errors->file = own;
		free(bytes.data);
	}
	free(path);
}

/* ---- numbers ---- */

/* A fault of line `line` of a file, or of an element where that is 0. */
static void complain_of_row(struct check *check, const char *file, const void *record,
			    uint32_t line, const char *text)
{
	const char *own = check->errors->file;

	if (!line) {
		complain_at(check, record, text);
		return;
	}
	check->errors->file = file;
	yaml_errors_add(check->errors, line, 1, "%s", text);
	check->errors->file = own;
	check->failed = true;
}

static bool is_amount(double value)
{
	return isnan(value) || (value >= 0 && value <= MOST);
}

static bool is_count(double value)
{
	return is_amount(value) && (isnan(value) || value == floor(value));
}

static bool is_time(double value)
{
	return isnan(value) || (value >= 0 && value <= TIME_MOST);
}

static const char no_count[] = "errors is no whole number from 0 to 9e15";

static const char *fault_of_total(const struct foreign_total *t)
{
	if (!is_amount(t->bytes) || !is_amount(t->bytes_per_s) || !is_amount(t->operations) ||
	    !is_amount(t->operations_per_s))
		return "an amount is below 0 or above 9e15";
	if (!is_count(t->errors))
		return no_count;
	if (!is_time(t->start_s) || !is_time(t->end_s) || !is_time(t->seconds))
		return "a time is below 0 or above 1e9 s";
	if (t->end_s <= t->start_s)
		return "it ends before it has begun";
	if (t->seconds == 0)
		return "it took no time";
	if (!isnan(t->seconds) && (!isnan(t->start_s) || !isnan(t->end_s)))
		return "seconds stands beside start_s or end_s; give start_s and end_s, or seconds";
	if (isnan(t->start_s) != isnan(t->end_s))
		return "start_s without end_s, or the other way round";
	return NULL;
}

static bool has_amount(const struct foreign_total *t)
{
	return !isnan(t->bytes) || !isnan(t->bytes_per_s) || !isnan(t->operations) ||
	       !isnan(t->operations_per_s);
}

static void check_total(struct check *check, const struct foreign_measured *m,
			const struct foreign_total *t)
{
	const char *fault = fault_of_total(t);
	bool timed = !isnan(t->end_s) || !isnan(t->seconds);
	bool rate = !isnan(t->bytes_per_s) || !isnan(t->operations_per_s);

	if (!fault && !has_amount(t) && !(m->timeline && timed))
		fault = "neither bytes nor a rate nor operations";
	if (!fault && has_amount(t) && !timed && !rate)
		fault = "an amount without a time: give seconds, start_s and end_s, or bytes_per_s";
	if (fault)
		complain_of_row(check, m->totals, t, t->line, fault);
}

static void check_sample(struct check *check, const struct foreign_measured *m,
			 const struct foreign_sample *s)
{
	const char *fault = NULL;

	if (!is_time(s->time_s))
		fault = "time_s is below 0 or above 1e9 s; count from the first";
	else if (!is_amount(s->bytes) || !is_amount(s->bytes_per_s) || !is_amount(s->operations) ||
		 !is_amount(s->operations_per_s))
		fault = "an amount is below 0 or above 9e15";
	else if (!is_count(s->errors))
		fault = no_count;
	else if (isnan(s->bytes) && isnan(s->bytes_per_s) && isnan(s->operations) &&
		 isnan(s->operations_per_s))
		fault = "neither bytes nor a rate nor operations";
	if (fault)
		complain_of_row(check, m->timeline, s, s->line, fault);
}

/* ---- names ---- */

/* Of a row: one that is told must be known, one that is not must be the only one. */
static void check_place(struct check *check, const char *file, const void *record, uint32_t line,
			const struct phase *phase, const char *host, const char *target)
{
	bool known = !target;
	char *fault = NULL;

	for (uint32_t t = 0; target && t < phase->targets_count; t++)
		known = known || text_is(phase->targets[t].name, target);
	if (!known)
		fault = mem_format("phase '%s' has no target '%s'", phase->name, target);
	else if (host && check->foreign->hosts_count &&
		 name_set_find(&check->hosts, host) == UINT32_MAX)
		fault = mem_format("host '%s' is not among `hosts`", host);
	else if (!host && check->many_hosts)
		fault = mem_text("no host, and there are several");
	if (fault)
		complain_of_row(check, file, record, line, fault);
	free(fault);
}

static void check_target_told(struct check *check, const char *file, const void *record,
			      uint32_t line, const struct phase *phase, const char *target)
{
	if (!target && phase->targets_count > 1)
		complain_of_row(check, file, record, line, "no target, and the phase has several");
}

/* ---- a phase ---- */

static const struct phase *find_phase(const struct foreign *foreign, const char *name)
{
	for (uint32_t p = 0; p < foreign->phases_count; p++)
		if (text_is(foreign->phases[p].name, name))
			return &foreign->phases[p];
	return NULL;
}

static void read_tables(struct check *check, struct foreign_measured *m)
{
	struct foreign_total *totals = NULL;
	uint32_t count = 0;

	for (uint32_t i = 0; i < m->moved_count; i++)
		record_places_forget(check->places, &foreign_total_table, &m->moved[i]);
	read_table(check, &m->timeline, &foreign_sample_table, (void **)&m->samples,
		   &m->samples_count);
	read_table(check, &m->counters, &foreign_counter_table, (void **)&m->counts,
		   &m->counts_count);
	read_table(check, &m->ticks, &foreign_tick_table, (void **)&m->clock, &m->clock_count);
	read_table(check, &m->heartbeats, &foreign_beat_table, (void **)&m->beats, &m->beats_count);
	read_table(check, &m->totals, &foreign_total_table, (void **)&totals, &count);
	if (!totals)
		return;
	/* Places are addresses: where both are there, those of `moved` are looked at no more. */
	m->moved = mem_resize(m->moved, m->moved_count + count, sizeof(*m->moved));
	memcpy(&m->moved[m->moved_count], totals, count * sizeof(*totals));
	m->moved_count += count;
	free(totals);
}

static bool is_empty(const struct foreign_measured *m)
{
	return !m->moved_count && !m->samples_count && !m->clock_count && !m->hung &&
	       !m->beats_count;
}

/* Whether two are named; `first` is the first that was. */
static bool is_another(const char **first, const char *host)
{
	if (!*first)
		*first = host;
	return host && !text_is(host, *first);
}

/* Where `hosts` does not say it, the rows do: two names are two hosts. */
static bool has_many_hosts(const struct foreign *foreign, const struct foreign_measured *m)
{
	const char *first = NULL;
	bool many = foreign->hosts_count > 1;

	for (uint32_t i = 0; i < m->samples_count && !many; i++)
		many = is_another(&first, m->samples[i].host);
	for (uint32_t i = 0; i < m->moved_count && !many; i++)
		many = is_another(&first, m->moved[i].host);
	for (uint32_t i = 0; i < m->clock_count && !many; i++)
		many = is_another(&first, m->clock[i].host);
	for (uint32_t i = 0; i < m->beats_count && !many; i++)
		many = is_another(&first, m->beats[i].host);
	return many;
}

/* Takes `text`. */
static void complain_of_sample(struct check *check, const struct foreign_measured *m,
			       const struct foreign_place *place, char *text)
{
	const struct foreign_sample *s = &m->samples[place->row];

	complain_of_row(check, m->timeline, s, s->line, text);
	free(text);
}

/* What would be added up to twice what it was, or to many times. */
static void check_sample_order(struct check *check, const struct foreign_measured *m)
{
	struct foreign_place *places = foreign_order_samples(m);
	uint32_t count = m->samples_count, twice = foreign_sample_twice(places, count);
	uint32_t against = m->bucket ? foreign_sample_against(places, count, m->bucket) : 0;

	if (twice)
		complain_of_sample(
			check, m, &places[twice],
			mem_format("time_s %g of this host and target is in line %u already",
				   places[twice].at_s, m->samples[places[twice - 1].row].line));
	else if (against)
		complain_of_sample(
			check, m, &places[against],
			mem_format("begins %g s after line %u, of the same host and target, of "
				   "which `bucket` tells that it lasts %g s; leave bucket away, "
				   "and each line lasts to the next",
				   places[against].at_s - places[against - 1].at_s,
				   m->samples[places[against - 1].row].line,
				   (double)m->bucket / 1e9));
	free(places);
}

static void check_total_order(struct check *check, const struct foreign_measured *m)
{
	struct foreign_place *places = foreign_order_totals(m);
	uint32_t twice = foreign_total_twice(places, m);

	if (twice) {
		const struct foreign_total *total = &m->moved[places[twice].row];
		complain_of_row(check, m->totals, total, total->line,
				"this host and target has a total from that time on already; "
				"name workers where it is of one of several");
	}
	free(places);
}

static void check_rows(struct check *check, const struct foreign_measured *m,
		       const struct phase *phase)
{
	check->many_hosts = has_many_hosts(check->foreign, m);
	for (uint32_t i = 0; i < m->moved_count; i++) {
		const struct foreign_total *t = &m->moved[i];
		check_total(check, m, t);
		check_place(check, m->totals, t, t->line, phase, t->host, t->target);
		check_target_told(check, m->totals, t, t->line, phase, t->target);
	}
	for (uint32_t i = 0; i < m->samples_count && !check->failed; i++) {
		const struct foreign_sample *s = &m->samples[i];
		check_sample(check, m, s);
		check_place(check, m->timeline, s, s->line, phase, s->host, s->target);
		check_target_told(check, m->timeline, s, s->line, phase, s->target);
	}
	for (uint32_t i = 0; i < m->counts_count; i++)
		check_place(check, m->counters, &m->counts[i], m->counts[i].line, phase,
			    m->counts[i].host, m->counts[i].target);
	for (uint32_t i = 0; i < m->clock_count; i++)
		check_place(check, m->ticks, &m->clock[i], m->clock[i].line, phase,
			    m->clock[i].host, NULL);
	for (uint32_t i = 0; i < m->beats_count; i++)
		check_place(check, m->heartbeats, &m->beats[i], m->beats[i].line, phase,
			    m->beats[i].host, NULL);
	if (check->failed)
		return;
	check_sample_order(check, m);
	check_total_order(check, m);
}

static void check_measured(struct check *check, uint32_t index)
{
	struct foreign_measured *m = &check->foreign->measured[index];
	const struct phase *phase = find_phase(check->foreign, m->phase);

	if (!phase) {
		complain(check, &m->phase,
			 mem_format("measured[%u].phase: there is no phase '%s' among `phases`",
				    index, text_or(m->phase, "")));
		return;
	}
	for (uint32_t i = 0; i < index; i++)
		if (text_is(check->foreign->measured[i].phase, m->phase) &&
		    check->foreign->measured[i].trial == m->trial)
			complain(check, &m->phase,
				 mem_format("measured[%u]: phase '%s', trial %u is there already",
					    index, m->phase, m->trial));
	read_tables(check, m);
	if (check->failed)
		return;
	if (is_empty(m))
		complain(check, &m->phase,
			 mem_format("measured[%u]: nothing was measured: give timeline, totals, "
				    "moved, ticks or heartbeats, or hung: true",
				    index));
	check_rows(check, m, phase);
	for (uint32_t h = 0; h < m->hosts_count; h++)
		check_place(check, NULL, &m->hosts[h], 0, phase, m->hosts[h].host, NULL);
}

/* ---- the rest ---- */

static void check_point(struct check *check, const struct fact_sweep *sweep,
			const struct sweep_point *p)
{
	const char *fault = NULL;
	bool rate = !isnan(p->bytes_per_s) || !isnan(p->operations_per_s);

	if (!is_amount(p->bytes) || !is_amount(p->bytes_per_s) || !is_amount(p->operations_per_s))
		fault = "an amount is below 0 or above 9e15";
	else if (!is_time(p->seconds) || p->seconds == 0)
		fault = "seconds is not above 0 and at most 1e9";
	else if (!rate && (isnan(p->bytes) || isnan(p->seconds)))
		fault = "neither a rate nor bytes and seconds";
	else if (sweep->kind != FACT_SWEEP_TUNABLE &&
		 (!(p->setting >= 0) || p->setting > 1e6 || p->setting != floor(p->setting)))
		fault = "setting is no whole number of members or of a node";
	if (!fault)
		return;
	char *text = mem_format("sweep '%s', setting %g: %s", sweep->sweep, p->setting, fault);
	complain_at(check, sweep, text);
	free(text);
}

static void check_sweep(struct check *check, struct fact_sweep *sweep)
{
	struct sweep_point *points = NULL;
	uint32_t count = 0;

	sweep->has_numa_node = is_written(check, &sweep->numa_node);
	for (uint32_t i = 0; i < sweep->points_count; i++)
		record_places_forget(check->places, &sweep_point_table, &sweep->points[i]);
	if (sweep->points_count && sweep->table) {
		complain_at(check, &sweep->table, "both table and points; give one of them");
		return;
	}
	read_table(check, &sweep->table, &sweep_point_table, (void **)&points, &count);
	if (points) {
		sweep->points = points;
		sweep->points_count = count;
	}
	if (!sweep->points_count && !check->failed)
		complain(
			check, sweep,
			mem_format("sweep '%s' has no points: give table or points", sweep->sweep));
	for (uint32_t i = 0; i < sweep->points_count && !check->failed; i++)
		check_point(check, sweep, &sweep->points[i]);
}

/* By the rules of a plan, whose gates they are; hosts and their labels stand for its agents. */
static void check_gates(struct check *check)
{
	struct foreign *foreign = check->foreign;
	struct plan plan = {
		.targets = foreign->targets,
		.targets_count = foreign->targets_count,
		.phases = foreign->phases,
		.phases_count = foreign->phases_count,
		.gates = foreign->gates,
		.gates_count = foreign->gates_count,
		.fleet = {.agents = mem_new(foreign->hosts_count, sizeof(struct plan_agents)),
			  .agents_count = foreign->hosts_count},
	};
	struct plan_check own = {.plan = &plan,
				 .root = check->root,
				 .places = check->places,
				 .errors = check->errors};

	for (uint32_t h = 0; h < foreign->hosts_count; h++) {
		plan.fleet.agents[h].labels = foreign->hosts[h].labels;
		plan.fleet.agents[h].labels_count = foreign->hosts[h].labels_count;
	}
	if (foreign->gates_count && !foreign->phases_count)
		complain_at(check, &foreign->gates[0], "gates without phases");
	plan_check_gates(&own);
	check->failed |= own.failed;
	free(own.said);
	free(plan.fleet.agents);
}

static void check_facts(struct check *check)
{
	struct foreign *foreign = check->foreign;

	struct hardware hardware = {.storage = foreign->storage,
				    .storage_count = foreign->storage_count,
				    .links = foreign->links,
				    .links_count = foreign->links_count};
	struct facts_fault fault;

	hardware_mark(&hardware, check->places);
	for (uint32_t i = 0; i < foreign->storage_count; i++)
		if (facts_storage_fault(&foreign->storage[i], &fault))
			complain_at(check, fault.member, fault.text);
	for (uint32_t i = 0; i < foreign->links_count; i++)
		if (facts_link_fault(&foreign->links[i], &fault))
			complain_at(check, fault.member, fault.text);
	for (uint32_t i = 0; i < foreign->sweeps_count; i++)
		check_sweep(check, &foreign->sweeps[i]);
}

static void check_all(struct check *check)
{
	struct foreign *foreign = check->foreign;

	foreign->direct_told = mem_new(foreign->phases_count, sizeof(*foreign->direct_told));
	for (uint32_t h = 0; h < foreign->hosts_count; h++)
		name_set_add(&check->hosts, mem_text(foreign->hosts[h].host));
	for (uint32_t p = 0; p < foreign->phases_count; p++) {
		struct phase *phase = &foreign->phases[p];
		struct error err;
		foreign->direct_told[p] = is_written(check, &phase->direct);
		if (phase->rate && units_parse_load_rate(phase->rate, &phase->rate_bytes,
							 &phase->rate_operations, &err) < 0)
			complain(check, &phase->rate,
				 mem_format("phases[%u].rate: %s", p, err.text));
		if (find_phase(foreign, foreign->phases[p].name) != &foreign->phases[p])
			complain(check, &foreign->phases[p].name,
				 mem_format("phases[%u].name: '%s' is there twice", p,
					    foreign->phases[p].name));
	}
	if (!foreign->phases_count && !foreign->sweeps_count && !foreign->storage_count &&
	    !foreign->links_count)
		complain_at(check, foreign,
			    "neither phases nor sweeps, storage or links: there is nothing to "
			    "judge");
	if (foreign->suspect_after >= foreign->dead_after)
		complain_at(check, &foreign->suspect_after,
			    "suspect_after is not below dead_after");
	check_facts(check);
	check_gates(check);
	for (uint32_t m = 0; m < foreign->measured_count; m++)
		check_measured(check, m);
}

static bool read_and_free(struct foreign *foreign, struct yaml_node *root, const char *directory,
			  struct yaml_errors *errors)
{
	struct record_places places = {0};
	struct check check = {.foreign = foreign,
			      .root = root,
			      .places = &places,
			      .errors = errors,
			      .directory = directory};

	*foreign = (struct foreign){0};
	if (!root)
		return false;
	bool ok = record_yaml_read(&foreign_table, foreign, root, &places, errors);
	if (ok)
		check_all(&check);
	ok = ok && !check.failed;
	name_set_release(&check.hosts);
	record_places_release(&places);
	yaml_tree_free(root);
	if (!ok)
		foreign_release(foreign);
	return ok;
}

bool foreign_parse(struct foreign *foreign, const char *bytes, size_t size, const char *directory,
		   struct yaml_errors *errors)
{
	return read_and_free(foreign, yaml_tree_parse(bytes, size, errors), directory, errors);
}

bool foreign_read(struct foreign *foreign, const char *path, struct yaml_errors *errors)
{
	char *copy = mem_text(path);
	bool ok = read_and_free(foreign, yaml_tree_read(path, errors), dirname(copy), errors);

	free(copy);
	return ok;
}

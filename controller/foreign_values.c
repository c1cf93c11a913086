#include <math.h>

#include "common/units.h"
#include "controller/analysis/findings.h"
#include "controller/analysis/values.h"
#include "controller/foreign_inside.h"

static void report(struct build *build, const char *host, const char *what, double first,
		   double second)
{
	char one[UNITS_TEXT_SIZE], other[UNITS_TEXT_SIZE];
	const char *level = fabs(second / first - 1) > VALUES_ROUNDED ? "WARN" : NULL;
	struct result_finding *finding = findings_add(
		build->result, "VALUES_DISAGREE", level, build->phase, host, NULL, NULL,
		"%s: %s against %s, %.1f %% apart", what, units_format_rate(one, first),
		units_format_rate(other, second), 100 * fabs(second / first - 1));

	findings_figure(finding, "first_bytes_per_s", first);
	findings_figure(finding, "second_bytes_per_s", second);
}

void foreign_compare_values(struct build *build, const char *host, const struct foreign_total *t,
			    double seconds)
{
	double block = foreign_block(build);
	double by_bytes = t->bytes / seconds;
	double operations =
		isnan(t->operations_per_s) ? t->operations / seconds : t->operations_per_s;
	double rate = isnan(t->bytes_per_s) ? by_bytes : t->bytes_per_s;

	if (values_disagree(by_bytes, t->bytes_per_s))
		report(build, host, "bytes over the time and the rate that was told", by_bytes,
		       t->bytes_per_s);
	if (values_disagree(rate, operations * block))
		report(build, host, "the rate, and operations times block_size", rate,
		       operations * block);
}

void foreign_find_gaps(struct build *build)
{
	const struct foreign_measured *m = build->measured;

	if (build->guessed)
		findings_add(build->result, "TIME_UNKNOWN", NULL, build->phase, NULL, NULL, NULL,
			     "of %u figures only the rate was told, not for how long; nothing says "
			     "that it was measured for min_window",
			     build->guessed);
	if (m->moved_count && !m->samples_count && build->phase->hosts_count > 1)
		findings_add(build->result, "NO_TIMELINE", NULL, build->phase, NULL, NULL, NULL,
			     "only totals are known, so that each counts as even over its time");
	if (build->missing)
		findings_add(build->result, "TIMELINE_GAPS", NULL, build->phase, NULL, NULL, NULL,
			     "between lines of a host and target that lie evenly %llu %s missing; "
			     "in that time nothing counts as moved",
			     (unsigned long long)build->missing,
			     build->missing == 1 ? "is" : "are");
	if (build->dropped)
		findings_add(build->result, "TIMELINE_CUT", NULL, build->phase, NULL, NULL, NULL,
			     "%u lines of the timeline lie more than %d of its buckets after the "
			     "first and are left out",
			     build->dropped, FOREIGN_BUCKETS_MOST);
}

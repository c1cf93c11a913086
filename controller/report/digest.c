#include "controller/report/digest.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/memory.h"
#include "common/text.h"
#include "controller/analysis/findings.h"

#define PLACES 3 /* named beside the first */

static const char *const levels[] = {"REFUSE", "INVALID", "WARN", "NOTE"};
#define LEVELS (sizeof(levels) / sizeof(levels[0]))

/* Within a level first what says that the figures are not the storage's, last what only says which
 * of several figures to quote. */
static int rank_of(const struct result_finding *finding)
{
	static const char *const first[] = {"CACHE_SERVED",
					    "WRITE_NOT_ON_DEVICE",
					    "WRITES_ABSORBED",
					    "FILE_SMALLER_THAN_RAM",
					    "RAM_TARGET",
					    "BUFFERED_PHASE",
					    NULL};

	for (size_t i = 0; first[i] && text_is(finding->level, "WARN"); i++)
		if (text_is(finding->code, first[i]))
			return 0;
	return text_is(finding->code, "SUM_OF_AVERAGES_GAP") ? 2 : 1;
}
#define RANKS 3

bool digest_is_aside(const struct result_finding *finding)
{
	return text_is(finding->code, "AGENT_NOTE") || text_is(finding->code, "INSECURE");
}

static bool are_alike(const struct result_finding *a, const struct result_finding *b)
{
	return text_is(a->code, b->code) && text_is(a->level, b->level);
}

/* In all entries, however many: what is left out is counted. */
static void take(struct digest *all, const struct result_finding *finding)
{
	for (uint32_t e = 0; e < all->count; e++)
		if (are_alike(all->entries[e].first, finding)) {
			all->entries[e].count++;
			return;
		}
	struct digest_entry *entry = RECORD_APPEND(all->entries, all->count);
	*entry = (struct digest_entry){.first = finding, .count = 1};
}

void digest_init(struct digest *digest, const struct result *result)
{
	*digest = (struct digest){0};
	for (size_t l = 0; l < LEVELS; l++)
		for (int rank = 0; rank < RANKS; rank++)
			for (uint32_t f = 0; f < result->findings_count; f++)
				if (text_is(result->findings[f].level, levels[l]) &&
				    rank_of(&result->findings[f]) == rank &&
				    !digest_is_aside(&result->findings[f]))
					take(digest, &result->findings[f]);
	if (digest->count > DIGEST_MOST) {
		digest->left_out = digest->count - DIGEST_MOST;
		digest->count = DIGEST_MOST;
	}
}

void digest_release(struct digest *digest)
{
	free(digest->entries);
	*digest = (struct digest){0};
}

/* Appends to `text`, which it takes; answers the longer one. */
static char *append(char *text, const char *before, const char *more)
{
	char *longer = mem_format("%s%s%s", text, before, more);

	free(text);
	return longer;
}

char *digest_line(const struct result *result, const struct digest_entry *entry)
{
	const struct result_finding *end = result->findings + result->findings_count;
	char *place = findings_place(entry->first), count[32];
	char *line = mem_format("%s: %s", place, text_or(entry->first->evidence, ""));
	uint32_t named = 0;

	free(place);
	for (const struct result_finding *f = entry->first + 1; f < end && named < PLACES; f++) {
		if (!are_alike(f, entry->first))
			continue;
		place = findings_place(f);
		line = append(line, named++ ? "; " : "; also ", place);
		free(place);
	}
	if (entry->count > named + 1) {
		snprintf(count, sizeof(count), "; and %u more", entry->count - named - 1);
		line = append(line, count, "");
	}
	return line;
}

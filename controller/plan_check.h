/* plan_check.h - the rules of a plan that need more than one member, each with its place.
 *
 * What the table could not read is already reported. Such a member is zero here, as if it had not
 * been written: rules about what is absent, or that read one member in the light of another, ask
 * first whether the record was sound, so that one mistake is one error. For the same reason a place
 * in the file is complained about once, also where many phases or hosts inherit it. */
#ifndef MUSTER_CONTROLLER_PLAN_CHECK_H
#define MUSTER_CONTROLLER_PLAN_CHECK_H

#include <stdbool.h>

#include "common/record_yaml.h"
#include "controller/plan.h"

struct plan_check {
	struct plan *plan;
	const struct yaml_node *root; /* that it was read from */
	const struct record_places *places;
	struct yaml_errors *errors;
	bool sound;          /* all of it was read without an error */
	bool defaults_sound; /* all defaults were given out */
	bool failed;         /* set here: a rule does not hold */
	struct record_place *said;
	uint32_t said_count;
};

/* Reports all rules that do not hold; where all do, resolves what is `auto`. */
void plan_check(struct plan_check *check);

/* An error at the place of `member`, or of `record` where the member was not written. */
void plan_check_error(struct plan_check *check, const void *member, const void *record,
		      const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The same where an element of a list of the plan ("phases") begins: an element has the address of
 * its first member, and so that one's place. */
void plan_check_error_in(struct plan_check *check, const char *list, uint32_t index,
			 const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Whether a person wrote it, in the record itself, in defaults or in what it overrides. */
bool plan_check_is_written(const struct plan_check *check, const void *member);

/* Whether an element of a list, as a phase or a target, was read without an error. */
bool plan_check_is_sound(const struct plan_check *check, const void *element);

/* What names may consist of: they become names of files and cells of CSV. */
void plan_check_name(struct plan_check *check, char *const *name, const char *path);

/* A size as written, in bytes; 0 where it depends on the host or is wrong, which is reported. */
uint64_t plan_check_size(struct plan_check *check, char *const *size, const char *path);

/* A list of processors as written; whether the host has them its agent knows. */
void plan_check_cpus(struct plan_check *check, char *const *cpus, const char *path);

/* "; did you mean 'x'?", or which there are when none is near; answers `buffer`. */
#define PLAN_CHECK_HINT 256
const char *plan_check_hint(char buffer[PLAN_CHECK_HINT], const char *name,
			    const char *const *names, uint32_t count);

/* ---- the targets as one host has them ---- */

#define PLAN_TARGETS_MAX 256

struct plan_scope {
	const char *host; /* NULL: as the plan has them, for no host in particular */
	const char **names;
	const struct target **targets; /* in the plan's order */
	char **paths;                  /* how errors call them: "targets.perc0" */
	bool *sound;
	uint32_t count;
	bool *io;      /* [a * count + b]: I/O on a is I/O on b, which is a or one of its parts */
	bool *beneath; /* [a * count + b]: bytes of b hold bytes of a, through parts and members */
};
/* `agents` NULL: the plan's own. */
void plan_scope_init(struct plan_scope *scope, const struct plan_check *check,
		     const struct plan_agents *agents);
void plan_scope_release(struct plan_scope *scope);
/* Index of a target, or -1. */
int plan_scope_find(const struct plan_scope *scope, const char *name);

/* Each in a file of its own. */
void plan_check_fleet(struct plan_check *check);
void plan_check_targets(struct plan_check *check, const struct plan_scope *scope);
void plan_check_phases(struct plan_check *check, const struct plan_scope *scope);
/* Which shapes of one phase's load go together; the phase was read without an error. */
void plan_check_load(struct plan_check *check, const struct phase *phase, const char *path);
/* Only what may differ from host to host. */
void plan_check_phase_uses(struct plan_check *check, const struct plan_scope *scope);

/* Also marks what was not written in it. */
void plan_check_expect(struct plan_check *check);
void plan_check_gates(struct plan_check *check);

/* The limit of a gate as a number of its unit. */
int plan_limit_parse(enum plan_metric_unit unit, const char *text, double *limit,
		     struct error *err);

#endif

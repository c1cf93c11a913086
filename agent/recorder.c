#include "agent/recorder.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/file.h"
#include "common/framed.h"
#include "common/log.h"
#include "common/memory.h"
#include "common/units.h"

#define PATIENCE_NS (10 * NS_PER_S)
#define RUN_PHASES  20 /* that a run's own words are as long as */

enum job_kind { JOB_BEGIN, JOB_ADD, JOB_END, JOB_FORGET, JOB_READ, JOB_STOP };

struct job {
	struct job *next;
	enum job_kind kind;
	char *run;   /* BEGIN, FORGET, READ */
	char *owner; /* likewise */
	uint32_t number, attempt;
	uint64_t offset;
	struct bytes bytes; /* BEGIN: the lease's records; ADD: one record */
	bool is_cut;        /* BEGIN, END, STOP: of the phase before it not all was queued */
};

/* `lock` is never held over a system call. */
struct recorder {
	struct kept_runs kept;
	uint64_t limit;
	pthread_t thread;

	pthread_mutex_t lock;
	pthread_cond_t more;
	struct job *first, **last;
	uint64_t queued; /* bytes */
	bool is_busy;    /* the thread is at a job */
	bool ended;      /* it is through */
	struct leased list;
	uint64_t used;
	bool is_cut;    /* what is queued of a phase is not all of it, and nothing is added */
	bool is_broken; /* the phase under way, or the last one, is not whole */
	struct error problem;
	int read_state;   /* 0: nothing, 1: there, -1: failed */
	uint64_t reading; /* reads asked for */
	struct kept_read read;
	struct error read_error;

	/* the thread's own */
	int fd;    /* of the phase under way; -1: it has no file */
	char *run; /* NULL: no phase is under way */
	uint32_t number;
};

/* ---- jobs ---- */

static struct job *job_new(enum job_kind kind, const char *run, const char *owner, uint32_t number,
			   uint32_t attempt)
{
	struct job *job = mem_new(1, sizeof(*job));

	job->kind = kind;
	job->run = mem_text(run);
	job->owner = mem_text(owner);
	job->number = number;
	job->attempt = attempt;
	return job;
}

static void job_free(struct job *job)
{
	free(job->run);
	free(job->owner);
	free(job->bytes.data);
	free(job);
}

static void break_off(struct recorder *r, const char *text)
{
	pthread_mutex_lock(&r->lock);
	if (!r->is_broken)
		error_set(&r->problem, ERROR_SYSTEM, "%s", text);
	r->is_broken = true;
	pthread_mutex_unlock(&r->lock);
}

static bool is_broken(struct recorder *r)
{
	pthread_mutex_lock(&r->lock);
	bool broken = r->is_broken;
	pthread_mutex_unlock(&r->lock);
	return broken;
}

/* Takes the job. After records that did not fit into the queue none of the phase is taken: there is
 * no gap in its file. */
static void post(struct recorder *r, struct job *job)
{
	pthread_mutex_lock(&r->lock);
	if (job->kind == JOB_ADD && r->queued + job->bytes.size > RECORDER_QUEUE_MOST)
		r->is_cut = true;
	if (job->kind == JOB_ADD && r->is_cut) {
		pthread_mutex_unlock(&r->lock);
		job_free(job);
		return;
	}
	job->is_cut = r->is_cut;
	if (job->kind == JOB_BEGIN)
		r->is_cut = false;
	r->queued += job->bytes.size;
	*r->last = job;
	r->last = &job->next;
	pthread_cond_signal(&r->more);
	pthread_mutex_unlock(&r->lock);
}

static struct job *take(struct recorder *r)
{
	pthread_mutex_lock(&r->lock);
	r->is_busy = false;
	while (!r->first)
		pthread_cond_wait(&r->more, &r->lock);
	struct job *job = r->first;
	r->is_busy = true;
	r->first = job->next;
	if (!r->first)
		r->last = &r->first;
	r->queued -= job->bytes.size;
	pthread_mutex_unlock(&r->lock);
	return job;
}

/* ---- the thread ---- */

static void list_again(struct recorder *r)
{
	struct leased fresh = {0};
	uint64_t used = 0;

	kept_runs_list(&r->kept, &fresh);
	for (uint32_t i = 0; i < fresh.kept_count; i++)
		used += fresh.kept[i].bytes;
	pthread_mutex_lock(&r->lock);
	struct leased old = r->list;
	r->list = fresh;
	r->used = used;
	pthread_mutex_unlock(&r->lock);
	record_release(message_types[MESSAGE_LEASED].table, &old);
}

static void begin(struct recorder *r, const struct job *job)
{
	struct error err;

	pthread_mutex_lock(&r->lock);
	r->is_broken = false;
	pthread_mutex_unlock(&r->lock);
	r->run = mem_text(job->run);
	r->number = job->number;
	error_set(&err, ERROR_REFUSED,
		  "the spool has a run of that name of another controller's, or of one that it "
		  "cannot tell");
	if (kept_runs_is_of(&r->kept, job->run, job->owner) &&
	    kept_runs_make(&r->kept, job->run, &job->bytes, &err) == 0)
		r->fd = kept_runs_add(&r->kept, job->run, job->number, job->attempt, &err);
	if (r->fd < 0)
		break_off(r, err.text);
}

static void add(struct recorder *r, const struct job *job)
{
	if (r->fd < 0 || is_broken(r))
		return;
	pthread_mutex_lock(&r->lock);
	r->used += job->bytes.size;
	bool fits = r->used <= r->limit;
	pthread_mutex_unlock(&r->lock);
	if (!fits)
		break_off(r, "spool_limit of agent.yaml is reached");
	/* What is torn after a failed write is passed over on reading. */
	if (fits && file_write_whole(r->fd, job->bytes.data, job->bytes.size) < 0)
		break_off(r, strerror(errno));
}

/* It may be the only copy: who reads the log is told when it is not whole. */
static void tell(struct recorder *r)
{
	struct error problem;

	if (recorder_problem(r, &problem))
		log_warning("the results of phase %u of run %s are not whole in the spool: %s",
			    r->number, r->run, problem.text);
}

static void end(struct recorder *r, const struct job *job)
{
	struct error err;

	if (!r->run)
		return;
	if (job->is_cut)
		break_off(r, "its disk has taken nothing for so long that 16 MiB wait");
	if (r->fd >= 0 && kept_runs_sync(&r->kept, r->run, r->fd, &err) < 0)
		break_off(r, err.text);
	if (r->fd >= 0)
		close(r->fd);
	tell(r);
	r->fd = -1;
	free(r->run);
	r->run = NULL;
	list_again(r);
}

static void read_job(struct recorder *r, const struct job *job)
{
	struct kept_read read = {0};
	struct error err;
	int state = -1;

	error_set(&err, ERROR_REFUSED,
		  "that run is another controller's, or its lease cannot be read");
	if (kept_runs_is_of(&r->kept, job->run, job->owner) &&
	    kept_runs_read(&r->kept, job->run, job->number, job->attempt, job->offset, &read,
			   &err) == 0)
		state = 1;

	pthread_mutex_lock(&r->lock);
	r->reading--;
	free(r->read.bytes.data);
	r->read = read;
	r->read_error = err;
	r->read_state = state;
	pthread_mutex_unlock(&r->lock);
}

static void *work(void *context)
{
	struct recorder *r = context;

	for (bool stop = false; !stop;) {
		struct job *job = take(r);
		switch (job->kind) {
		case JOB_BEGIN:
			end(r, job);
			begin(r, job);
			break;
		case JOB_ADD:
			add(r, job);
			break;
		case JOB_END:
			end(r, job);
			break;
		case JOB_FORGET:
			if (kept_runs_is_of(&r->kept, job->run, job->owner))
				kept_runs_forget(&r->kept, job->run, job->number);
			list_again(r);
			break;
		case JOB_READ:
			read_job(r, job);
			break;
		case JOB_STOP:
			end(r, job);
			stop = true;
			break;
		}
		job_free(job);
	}
	pthread_mutex_lock(&r->lock);
	r->ended = true;
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

/* ---- life ---- */

static void tell_expired(void *context, const char *run, uint64_t bytes)
{
	char size[UNITS_TEXT_SIZE];

	(void)context;
	log_warning(
		"results of run %s (%s), which nobody has collected for longer than spool_keep, "
		"are removed",
		run, units_format_bytes(size, bytes));
}

struct recorder *recorder_new(const char *spool, uint64_t limit, uint64_t keep_ns,
			      struct error *err)
{
	struct recorder *r = mem_new(1, sizeof(*r));

	r->fd = -1;
	r->limit = limit;
	r->last = &r->first;
	if (kept_runs_open(&r->kept, spool, err) < 0) {
		free(r);
		return NULL;
	}
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->more, NULL);
	kept_runs_expire(&r->kept, keep_ns, tell_expired, NULL);
	list_again(r);
	int code = pthread_create(&r->thread, NULL, work, r);
	if (code == 0)
		return r;
	error_set(err, ERROR_SYSTEM, "cannot start the thread that writes the spool: %s",
		  strerror(code));
	record_release(message_types[MESSAGE_LEASED].table, &r->list);
	kept_runs_close(&r->kept);
	free(r);
	return NULL;
}

static bool has_ended(struct recorder *r)
{
	pthread_mutex_lock(&r->lock);
	bool ended = r->ended;
	pthread_mutex_unlock(&r->lock);
	return ended;
}

void recorder_free(struct recorder *r)
{
	if (!r)
		return;
	uint64_t until = clock_now_ns() + PATIENCE_NS;
	post(r, job_new(JOB_STOP, NULL, NULL, 0, 0));
	while (!has_ended(r) && clock_now_ns() < until)
		clock_sleep(NS_PER_MS);
	if (!has_ended(r)) {
		log_warning("the disk of '%s' does not answer: results may be missing there",
			    r->kept.path);
		return; /* the thread has it for ever */
	}
	pthread_join(r->thread, NULL);
	record_release(message_types[MESSAGE_LEASED].table, &r->list);
	free(r->read.bytes.data);
	free(r->run);
	kept_runs_close(&r->kept);
	pthread_cond_destroy(&r->more);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

/* ---- what the session asks ---- */

static const struct kept_run *find_kept(const struct leased *all, const char *run)
{
	for (uint32_t i = 0; i < all->kept_count; i++)
		if (strcmp(all->kept[i].run, run) == 0)
			return &all->kept[i];
	return NULL;
}

/* A run counts as RUN_PHASES of its phases: texts of some hundred bytes. */
static void list_run(const struct kept_run *run, uint32_t *room, struct leased *into)
{
	if (run->phases_count > RECORDER_PHASES_MOST || run->phases_count + RUN_PHASES > *room) {
		into->kept_more++;
		return;
	}
	*room -= run->phases_count + RUN_PHASES;
	record_copy(&kept_run_table, RECORD_APPEND(into->kept, into->kept_count), run);
}

void recorder_fit(const struct leased *all, const char *run, struct leased *into)
{
	uint32_t room = 2 * RECORDER_PHASES_MOST;
	const struct kept_run *own = find_kept(all, run);

	if (own)
		list_run(own, &room, into);
	for (uint32_t i = 0; i < all->kept_count; i++)
		if (&all->kept[i] != own)
			list_run(&all->kept[i], &room, into);
}

void recorder_list(struct recorder *r, const char *run, struct leased *into)
{
	pthread_mutex_lock(&r->lock);
	recorder_fit(&r->list, run, into);
	pthread_mutex_unlock(&r->lock);
}

char *recorder_other_owner(struct recorder *r, const char *run, const char *digest)
{
	char *holder = NULL;

	pthread_mutex_lock(&r->lock);
	for (uint32_t i = 0; i < r->list.kept_count && !holder; i++) {
		const struct kept_run *kept = &r->list.kept[i];
		if (strcmp(kept->run, run) == 0 && kept->owner && *kept->owner &&
		    strcmp(kept->owner, digest) != 0)
			holder = mem_text(kept->holder);
	}
	pthread_mutex_unlock(&r->lock);
	return holder;
}

struct recorder_use recorder_used(struct recorder *r, const char *run, uint32_t number)
{
	pthread_mutex_lock(&r->lock);
	struct recorder_use use = {.bytes = r->used};
	const struct kept_run *kept = find_kept(&r->list, run);
	for (uint32_t p = 0; kept && p < kept->phases_count; p++) {
		use.phases++;
		if (kept->phases[p].number > number)
			continue;
		use.spare_phases++;
		use.spare_bytes += kept->phases[p].bytes;
	}
	pthread_mutex_unlock(&r->lock);
	return use;
}

void recorder_begin(struct recorder *r, const char *run, const char *owner,
		    const struct bytes *lease, uint32_t number, uint32_t attempt)
{
	struct job *job = job_new(JOB_BEGIN, run, owner, number, attempt);

	bytes_append(&job->bytes, lease->data, lease->size);
	post(r, job);
}

void recorder_add(struct recorder *r, const struct bytes *frame)
{
	struct job *job = job_new(JOB_ADD, NULL, NULL, 0, 0);

	framed_append(&job->bytes, frame->data, frame->size);
	post(r, job);
}

void recorder_end(struct recorder *r)
{
	post(r, job_new(JOB_END, NULL, NULL, 0, 0));
}

bool recorder_is_idle(struct recorder *r)
{
	pthread_mutex_lock(&r->lock);
	bool idle = !r->first && !r->is_busy;
	pthread_mutex_unlock(&r->lock);
	return idle;
}

void recorder_forget(struct recorder *r, const char *run, const char *owner, uint32_t number)
{
	post(r, job_new(JOB_FORGET, run, owner, number, 0));
}

bool recorder_problem(struct recorder *r, struct error *problem)
{
	pthread_mutex_lock(&r->lock);
	bool broken = r->is_broken;
	*problem = r->problem;
	pthread_mutex_unlock(&r->lock);
	return broken;
}

void recorder_read(struct recorder *r, const char *run, const char *owner, uint32_t number,
		   uint32_t attempt, uint64_t offset)
{
	struct job *job = job_new(JOB_READ, run, owner, number, attempt);

	job->offset = offset;
	pthread_mutex_lock(&r->lock);
	r->reading++;
	pthread_mutex_unlock(&r->lock);
	post(r, job);
}

int recorder_take(struct recorder *r, struct kept_read *read, struct error *err)
{
	pthread_mutex_lock(&r->lock);
	/* Of several that were asked for, the last one's answer. */
	int state = r->reading ? 0 : r->read_state;
	if (state) {
		*read = r->read;
		*err = r->read_error;
		r->read = (struct kept_read){0};
		r->read_state = 0;
	}
	pthread_mutex_unlock(&r->lock);
	return state;
}

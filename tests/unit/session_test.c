/* The agent's conversation, with a controller that is this test. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "agent/session.h"
#include "agent/spool_need.h"
#include "proto/agent_state.h"
#include "proto/codec.h"
#include "tests/unit/phase_scene.h"

#define TOKEN       "0123456789abcdef0123456789abcdef"
#define OTHER_TOKEN "fedcba9876543210fedcba9876543210"

static const char *token = TOKEN;

static struct scene scene;
static char work[128], endpoint[64];
static struct channel *agent, *controller;
static struct recorder *recorder;
static uint64_t dead_after_ns = 60 * NS_PER_S, outbox_most;
static struct channel_peer to_agent;
static atomic_bool stop;
static pthread_t session;

static void *serve(void *context)
{
	const struct session_setup setup = {.config = &scene.config,
					    .files = scene.files,
					    .recorder = recorder,
					    .channel = agent,
					    .outbox_most = outbox_most,
					    .parent_fd = -1,
					    .stop = &stop};
	struct error err;

	(void)context;
	return session_serve(&setup, &err) == 0 ? NULL : &session;
}

static int set_up(void **state)
{
	struct error err;

	(void)state;
	scene_init(&scene, work);
	agent = channel_bind("tcp://127.0.0.1:*", &err);
	controller = channel_new(&err);
	run("rm -rf '%s/results'", scene.spool);
	recorder = recorder_new(scene.spool, scene.config.spool_limit, 60 * NS_PER_S, &err);
	if (!agent || !controller || !recorder)
		return -1;
	snprintf(endpoint, sizeof(endpoint), "tcp://127.0.0.1:%u", channel_port(agent));
	atomic_store(&stop, false);
	return channel_connect(controller, endpoint, &to_agent, &err) ||
	       pthread_create(&session, NULL, serve, NULL);
}

static int set_up_small_outbox(void **state)
{
	outbox_most = 2000;
	return set_up(state);
}

static int tear_down(void **state)
{
	void *failed;

	(void)state;
	atomic_store(&stop, true);
	pthread_join(session, &failed);
	recorder_free(recorder);
	dead_after_ns = 60 * NS_PER_S;
	outbox_most = 0;
	token = TOKEN;
	channel_free(controller, 0);
	channel_free(agent, 0);
	scene_release(&scene);
	return failed ? -1 : 0;
}

static void tell(enum message_kind kind, uint32_t phase, const void *body)
{
	struct envelope envelope = {.kind = kind, .phase = phase, .attempt = phase};
	struct bytes frame = {0};
	struct error err;

	memcpy(envelope.lease, token, sizeof(envelope.lease));
	codec_pack(&envelope, body, &frame);
	assert_int_equal(channel_send(controller, &to_agent, &frame, &err), 0);
	free(frame.data);
}

/* The last start. */
static uint32_t started;
static uint64_t lead_ns;

static void start_in(uint32_t phase, uint64_t in_ns)
{
	const struct start start = {.at_ns = clock_now_ns() + in_ns};

	started = phase;
	lead_ns = in_ns;
	tell(MESSAGE_START, phase, &start);
}

/* The next message of that kind, released by the caller; what comes before it is left out. A start
 * that came too late is tried again with twice the lead, as a controller does it. */
static struct message expect(enum message_kind kind)
{
	uint64_t end = clock_now_ns() + 20 * NS_PER_S;
	struct channel_peer from;
	struct bytes frame;
	struct message message;
	struct error err;

	while (clock_now_ns() < end) {
		if (channel_receive(controller, 100, &from, &frame) <= 0)
			continue;
		int bad = codec_unpack(frame.data, frame.size, &message, &err);
		free(frame.data);
		assert_int_equal(bad, 0);
		if (message.envelope.kind == kind)
			return message;
		if (message.envelope.kind == MESSAGE_FAILED && kind != MESSAGE_FAILED)
			fail_msg("%s", ((struct failed *)message.body)->text);
		if (message.envelope.kind == MESSAGE_LATE)
			start_in(started, 2 * lead_ns);
		message_release(&message);
	}
	fail_msg("no '%s' came", message_types[kind].name);
	return (struct message){0};
}

static void expect_only(enum message_kind kind)
{
	struct message message = expect(kind);

	message_release(&message);
}

static void take_lease(void)
{
	const struct lease lease = {.holder = "test",
				    .run = "r",
				    .owner = TOKEN TOKEN,
				    .host = "h",
				    .dead_after_ns = dead_after_ns,
				    .clock_key = TOKEN TOKEN};

	tell(MESSAGE_LEASE, 0, &lease);
	expect_only(MESSAGE_LEASED);
}

/* From prepare to the last acknowledgement. */
static void run_phase(void)
{
	tell(MESSAGE_PREPARE, 1, &scene.prepare);
	expect_only(MESSAGE_READY);
	start_in(1, 50 * NS_PER_MS);
	struct message done = expect(MESSAGE_DONE);
	const struct ack ack = {.sequence = ((struct done *)done.body)->sequence};
	message_release(&done);
	tell(MESSAGE_ACK, 1, &ack);
}

static void files_stay_when_the_release_says_so(void **state)
{
	(void)state;
	char *path = scene_path(&scene, "a");
	scene_file(&scene, "a", MIB, true);
	scene.prepare.phase.op = PHASE_OP_WRITE;
	scene.prepare.phase.size_bytes = MIB;
	for (int keep = 0; keep < 2; keep++) {
		const struct release release = {.keep = keep};
		take_lease();
		run_phase();
		assert_int_equal(access(path, F_OK), 0);
		tell(MESSAGE_RELEASE, 0, &release);
		struct message released = expect(MESSAGE_RELEASED);
		assert_int_equal(((struct released *)released.body)->removed_count, !keep);
		message_release(&released);
		assert_int_equal(access(path, F_OK) == 0, keep);
	}
	unlink(path);
	free(path);
}

/* ---- results in the spool ---- */

/* What a lease says that waits in the spool; the caller's. */
static struct message lease_again(void)
{
	const struct lease lease = {.holder = "test",
				    .run = "r",
				    .owner = TOKEN TOKEN,
				    .host = "h",
				    .dead_after_ns = dead_after_ns,
				    .clock_key = TOKEN TOKEN};

	tell(MESSAGE_LEASE, 0, &lease);
	return expect(MESSAGE_LEASED);
}

/* The same where the answer may be no: nothing then. The leases' tokens differ. */
static struct message try_lease_again(void)
{
	const struct lease lease = {.holder = "test",
				    .run = "r",
				    .owner = TOKEN TOKEN,
				    .host = "h",
				    .dead_after_ns = dead_after_ns,
				    .clock_key = TOKEN TOKEN};
	const struct envelope envelope = {.kind = MESSAGE_LEASE, .lease = OTHER_TOKEN};
	struct bytes frame = {0};
	struct channel_peer from;
	struct message message;
	struct error err;

	codec_pack(&envelope, &lease, &frame);
	assert_int_equal(channel_send(controller, &to_agent, &frame, &err), 0);
	free(frame.data);
	while (channel_receive(controller, 1000, &from, &frame) > 0) {
		assert_int_equal(codec_unpack(frame.data, frame.size, &message, &err), 0);
		free(frame.data);
		if (message.envelope.kind == MESSAGE_LEASED)
			return message;
		bool refused = message.envelope.kind == MESSAGE_REFUSE;
		message_release(&message);
		if (refused)
			break;
	}
	return (struct message){0};
}

/* What comes out of the spool. */
struct kept {
	uint32_t prepares, readies, starts, amends, dones;
	uint64_t in_buckets, in_totals;
	enum done_state state;
};

static void count_kept(struct kept *kept, const struct message *message)
{
	const struct timeline *timeline = message->body;
	const struct done *done = message->body;

	kept->prepares += message->envelope.kind == MESSAGE_PREPARE;
	kept->readies += message->envelope.kind == MESSAGE_READY;
	kept->starts += message->envelope.kind == MESSAGE_START;
	kept->amends += message->envelope.kind == MESSAGE_AMEND;
	if (message->envelope.kind == MESSAGE_TIMELINE)
		for (uint32_t i = 0; i < timeline->buckets_count; i++)
			kept->in_buckets += timeline->buckets[i].bytes_written;
	if (message->envelope.kind != MESSAGE_DONE)
		return;
	kept->dones++;
	kept->state = done->state;
	for (uint32_t i = 0; i < done->targets_count; i++)
		kept->in_totals += done->targets[i].bytes_written;
}

static struct kept fetch_kept(void)
{
	struct fetch fetch = {.run = "r", .phase = 1, .attempt = 1};
	struct kept kept = {0};
	struct channel_peer from;
	struct bytes frame;
	struct error err;
	bool is_end = false;
	uint32_t frames = 0;

	tell(MESSAGE_FETCH, 0, &fetch);
	while (!is_end && channel_receive(controller, 20000, &from, &frame) > 0) {
		struct message message;
		assert_int_equal(codec_unpack(frame.data, frame.size, &message, &err), 0);
		free(frame.data);
		count_kept(&kept, &message);
		frames += message.envelope.kind != MESSAGE_FETCHED;
		if (message.envelope.kind == MESSAGE_FETCHED) {
			const struct fetched *fetched = message.body;
			assert_null(fetched->error);
			assert_true(fetched->frames && fetched->frames <= frames);
			frames = 0;
			assert_int_equal(fetched->torn_bytes, 0);
			is_end = fetched->is_end;
			fetch.offset = fetched->next;
			if (!is_end)
				tell(MESSAGE_FETCH, 0, &fetch);
		}
		message_release(&message);
	}
	assert_true(is_end);
	return kept;
}

static void require_kept(const struct leased *leased, uint32_t phases)
{
	assert_int_equal(leased->kept_count, phases ? 1 : 0);
	if (!phases)
		return;
	assert_string_equal(leased->kept[0].run, "r");
	assert_string_equal(leased->kept[0].holder, "test");
	assert_int_equal(leased->kept[0].phases_count, phases);
}

/* What is kept is written in another thread: the lease again and again until it says so. */
static struct message lease_with_kept(void)
{
	uint64_t end = clock_now_ns() + 20 * NS_PER_S;
	struct message leased = lease_again();

	while (!((struct leased *)leased.body)->kept_count && clock_now_ns() < end) {
		message_release(&leased);
		leased = lease_again();
	}
	return leased;
}

static void release(uint32_t kept_phase);

/* What is to be forgotten goes in another thread: until it has. */
static void require_forgotten(void)
{
	uint64_t end = clock_now_ns() + 20 * NS_PER_S;

	for (bool kept = true; kept;) {
		struct message leased = lease_again();
		kept = ((struct leased *)leased.body)->kept_count > 0;
		message_release(&leased);
		release(0);
		assert_true(clock_now_ns() < end);
	}
}

static void release(uint32_t kept_phase)
{
	const struct release release = {.kept_phase = kept_phase};

	tell(MESSAGE_RELEASE, 0, &release);
	expect_only(MESSAGE_RELEASED);
}

static void results_wait_until_the_controller_has_them(void **state)
{
	(void)state;
	scene_null(&scene, "a", 64 * MIB, true);
	scene.prepare.phase.op = PHASE_OP_WRITE;
	scene.prepare.phase.size_bytes = 64 * MIB;
	take_lease();
	run_phase();
	release(0); /* acknowledged, and on nobody's disk */

	struct message leased = lease_with_kept();
	require_kept(leased.body, 1);
	/* What was said before that it may take. */
	assert_true(((struct leased *)leased.body)->kept[0].bytes <= spool_need(&scene.prepare));
	message_release(&leased);
	struct kept kept = fetch_kept();
	assert_int_equal(kept.prepares, 1);
	assert_int_equal(kept.readies, 1);
	assert_int_equal(kept.starts, 1);
	assert_int_equal(kept.dones, 1);
	assert_int_equal(kept.state, DONE_COMPLETE);
	assert_int_equal(kept.in_totals, 64 * MIB);
	assert_int_equal(kept.in_buckets, 64 * MIB);

	const struct forget forget = {.run = "r"};
	tell(MESSAGE_FORGET, 0, &forget);
	release(0);
	require_forgotten();
}

static void what_the_controller_has_is_removed(void **state)
{
	(void)state;
	scene_null(&scene, "a", MIB, true);
	scene.prepare.phase.op = PHASE_OP_WRITE;
	scene.prepare.phase.size_bytes = MIB;
	take_lease();
	run_phase();
	release(1);
	require_forgotten();
}

static struct message lease_of_another(const char *run, enum message_kind answer)
{
	const struct lease lease = {.holder = "another",
				    .run = (char *)run,
				    .owner = OTHER_TOKEN OTHER_TOKEN,
				    .host = "h",
				    .dead_after_ns = dead_after_ns,
				    .clock_key = TOKEN TOKEN};

	tell(MESSAGE_LEASE, 0, &lease);
	return expect(answer);
}

/* Whoever may use the agent, and knows the run's name, which it tells to all. */
static void what_is_kept_of_a_run_is_for_who_has_its_secret(void **state)
{
	(void)state;
	scene_null(&scene, "a", MIB, true);
	scene.prepare.phase.op = PHASE_OP_WRITE;
	scene.prepare.phase.size_bytes = MIB;
	take_lease();
	run_phase();
	release(0);
	/* Listed, it is known whose. */
	struct message leased = lease_with_kept();
	require_kept(leased.body, 1);
	message_release(&leased);
	release(0);

	struct message refused = lease_of_another("r", MESSAGE_REFUSE);
	assert_non_null(strstr(((struct refuse *)refused.body)->reason, "run's secret"));
	assert_non_null(strstr(((struct refuse *)refused.body)->reason, "for test"));
	message_release(&refused);

	leased = lease_of_another("r2", MESSAGE_LEASED);
	message_release(&leased);
	const struct fetch fetch = {.run = "r", .phase = 1, .attempt = 1};
	tell(MESSAGE_FETCH, 0, &fetch);
	struct message fetched = expect(MESSAGE_FETCHED);
	assert_non_null(((struct fetched *)fetched.body)->error);
	message_release(&fetched);
	const struct forget forget = {.run = "r"};
	tell(MESSAGE_FORGET, 0, &forget);
	release(UINT32_MAX);

	leased = lease_with_kept();
	require_kept(leased.body, 1);
	message_release(&leased);
	struct kept kept = fetch_kept();
	assert_int_equal(kept.in_totals, MIB);
	tell(MESSAGE_FORGET, 0, &forget);
	release(0);
	require_forgotten();
}

/* The dead man's switch: the load stops, and all that it did is in the spool. */
static void a_controller_that_falls_silent_finds_everything_again(void **state)
{
	(void)state;
	dead_after_ns = 3 * NS_PER_S;
	scene_null(&scene, "a", MIB, true);
	scene.prepare.phase.op = PHASE_OP_WRITE;
	scene.prepare.phase.runtime = 60 * NS_PER_S;
	take_lease();
	tell(MESSAGE_PREPARE, 1, &scene.prepare);
	expect_only(MESSAGE_READY);
	start_in(1, 50 * NS_PER_MS);
	expect_only(MESSAGE_TIMELINE);
	clock_sleep(4 * NS_PER_S); /* what is tested is that nothing is said for so long */
	struct message leased = lease_with_kept();
	require_kept(leased.body, 1);
	message_release(&leased);
	struct kept kept = fetch_kept();
	assert_int_equal(kept.dones, 1);
	assert_int_equal(kept.state, DONE_ABORTED);
	assert_true(kept.in_totals > 0);
	assert_int_equal(kept.in_buckets, kept.in_totals);
	release(0);
}

static void a_controller_that_acknowledges_nothing_is_as_good_as_gone(void **state)
{
	(void)state;
	scene_null(&scene, "a", MIB, true);
	scene.prepare.phase.op = PHASE_OP_WRITE;
	scene.prepare.phase.runtime = 60 * NS_PER_S;
	take_lease();
	tell(MESSAGE_PREPARE, 1, &scene.prepare);
	expect_only(MESSAGE_READY);
	start_in(1, 50 * NS_PER_MS);
	expect_only(MESSAGE_TIMELINE);
	/* Alive all the time; it is refused while the load runs, and leased once it is through. */
	const struct heartbeat beat = {0};
	struct message leased = {0};
	for (int i = 0; i < 100 && !leased.body; i++) {
		tell(MESSAGE_HEARTBEAT, 1, &beat);
		clock_sleep(100 * NS_PER_MS);
		if (i % 10 == 9)
			leased = try_lease_again();
	}
	token = OTHER_TOKEN;
	assert_non_null(leased.body);
	message_release(&leased);
	leased = lease_with_kept();
	require_kept(leased.body, 1);
	message_release(&leased);
	struct kept kept = fetch_kept();
	assert_int_equal(kept.state, DONE_ABORTED);
	assert_int_equal(kept.in_buckets, kept.in_totals);
	release(0);
}

/* Made by muster, in its journal, and nobody has come to remove it. */
static void files_that_are_left_are_told(void **state)
{
	struct error err;
	char *path = mem_format("%s/left", scene.folder);
	int fd;

	(void)state;
	assert_int_equal(made_files_create(scene.files, path, NULL, &fd, &err), 0);
	close(fd);
	struct message leased = lease_again();
	assert_int_equal(((struct leased *)leased.body)->left_count, 1);
	assert_string_equal(((struct leased *)leased.body)->left[0].name, path);
	message_release(&leased);
	release(0);
	assert_int_not_equal(access(path, F_OK), 0);
	free(path);
}

static void a_phase_whose_results_may_not_fit_is_refused(void **state)
{
	(void)state;
	scene.config.spool_limit = MIB;
	scene_null(&scene, "a", MIB, true);
	scene.prepare.phase.op = PHASE_OP_WRITE;
	scene.prepare.phase.runtime = 3600 * NS_PER_S;
	take_lease();
	tell(MESSAGE_PREPARE, 1, &scene.prepare);
	struct message failed = expect(MESSAGE_FAILED);
	assert_non_null(strstr(((struct failed *)failed.body)->text, "spool_limit"));
	message_release(&failed);
	release(0);
}

/* Its spool would be written to, and data would count as written by it. */
static void a_phase_of_another_run_is_refused(void **state)
{
	(void)state;
	scene_null(&scene, "a", MIB, true);
	scene.prepare.run = (char *)"another";
	take_lease();
	tell(MESSAGE_PREPARE, 1, &scene.prepare);
	struct message failed = expect(MESSAGE_FAILED);
	assert_int_equal(((struct failed *)failed.body)->kind, FAILED_REFUSED);
	assert_non_null(strstr(((struct failed *)failed.body)->text, "run 'another'"));
	assert_non_null(strstr(((struct failed *)failed.body)->text, "run 'r'"));
	message_release(&failed);
	release(0);
}

static void a_run_s_id_names_no_path(void **state)
{
	const struct lease lease = {.holder = "test",
				    .run = "../../etc",
				    .owner = TOKEN TOKEN,
				    .host = "h",
				    .dead_after_ns = 60 * NS_PER_S,
				    .clock_key = TOKEN TOKEN};

	(void)state;
	tell(MESSAGE_LEASE, 0, &lease);
	struct message refused = expect(MESSAGE_REFUSE);
	assert_non_null(strstr(((struct refuse *)refused.body)->reason, "plain name"));
	message_release(&refused);
}

/* ---- what comes again, late or never ---- */

/* What has come, until the answer to a probe that is sent now. */
struct heard {
	uint32_t counts[MESSAGE_KINDS];
};

static struct heard hear(void)
{
	const struct probe probe = {.t1_ns = 1};
	struct heard heard = {0};
	struct channel_peer from;
	struct bytes frame;
	struct message message;
	struct error err;

	tell(MESSAGE_PROBE, 0, &probe);
	while (!heard.counts[MESSAGE_PROBED]) {
		assert_int_equal(channel_receive(controller, 20000, &from, &frame), 1);
		assert_int_equal(codec_unpack(frame.data, frame.size, &message, &err), 0);
		free(frame.data);
		heard.counts[message.envelope.kind]++;
		message_release(&message);
	}
	return heard;
}

static enum agent_state next_state(void)
{
	struct message message = expect(MESSAGE_HEARTBEAT);
	enum agent_state is = ((struct heartbeat *)message.body)->state;

	message_release(&message);
	return is;
}

static void prepare_null(uint32_t phase)
{
	if (!scene.prepare.targets_count)
		scene_null(&scene, "a", MIB, true);
	scene.prepare.phase.op = PHASE_OP_WRITE;
	scene.prepare.phase.size_bytes = MIB;
	tell(MESSAGE_PREPARE, phase, &scene.prepare);
	struct message ready = expect(MESSAGE_READY);
	assert_int_equal(ready.envelope.phase, phase);
	message_release(&ready);
}

static const struct abort_load stop_it = {.reason = (char *)"told to stop"};

static void a_heartbeat_tells_what_was_heard_last(void **state)
{
	const struct heartbeat beat = {.now_ns = 12345}, before = {.now_ns = 12344};
	uint64_t heard_ns = 0;

	(void)state;
	take_lease();
	tell(MESSAGE_HEARTBEAT, 0, &beat);
	tell(MESSAGE_HEARTBEAT, 0, &before);
	for (int i = 0; i < 3 && !heard_ns; i++) {
		struct message message = expect(MESSAGE_HEARTBEAT);
		heard_ns = ((struct heartbeat *)message.body)->heard_ns;
		message_release(&message);
	}
	assert_int_equal(heard_ns, 12345);
}

/* Each of them is answered, done once and once in the spool. */
static void what_comes_twice_is_done_once(void **state)
{
	(void)state;
	take_lease();
	prepare_null(1);
	tell(MESSAGE_PREPARE, 1, &scene.prepare);
	assert_int_equal(hear().counts[MESSAGE_READY], 1);

	const struct start start = {.at_ns = clock_now_ns() + NS_PER_S};
	const struct amend amend = {.at_ns = start.at_ns + 10, .number = 1};
	tell(MESSAGE_START, 1, &start);
	tell(MESSAGE_START, 1, &start);
	for (int i = 0; i < 2; i++) {
		tell(MESSAGE_AMEND, 1, &amend);
		struct message amended = expect(MESSAGE_AMENDED);
		assert_int_equal(((struct amended *)amended.body)->number, 1);
		assert_true(((struct amended *)amended.body)->taken);
		message_release(&amended);
	}
	tell(MESSAGE_PREPARE, 1, &scene.prepare);
	tell(MESSAGE_START, 1, &start);
	struct message done = expect(MESSAGE_DONE);
	const struct ack ack = {.sequence = ((struct done *)done.body)->sequence};
	assert_int_equal(((struct done *)done.body)->state, DONE_COMPLETE);
	message_release(&done);
	tell(MESSAGE_ACK, 1, &ack);
	tell(MESSAGE_ACK, 1, &ack);
	tell(MESSAGE_START, 1, &start);
	tell(MESSAGE_PREPARE, 1, &scene.prepare);
	tell(MESSAGE_ABORT, 1, &stop_it);
	struct heard heard = hear();
	assert_int_equal(heard.counts[MESSAGE_READY] + heard.counts[MESSAGE_FAILED] +
				 heard.counts[MESSAGE_LATE],
			 0);
	assert_int_equal(next_state(), AGENT_STATE_LEASED);
	release(0);

	struct message leased = lease_with_kept();
	message_release(&leased);
	struct kept kept = fetch_kept();
	assert_int_equal(kept.prepares, 1);
	assert_int_equal(kept.readies, 1);
	assert_int_equal(kept.starts, 1);
	assert_int_equal(kept.amends, 1);
	assert_int_equal(kept.dones, 1);
	release(1);
}

/* An amend that is older than the newest would put borders back. */
static void an_amend_that_comes_late_is_nothing(void **state)
{
	(void)state;
	take_lease();
	prepare_null(1);
	const struct start start = {.at_ns = clock_now_ns() + 5 * NS_PER_S};
	const struct amend first = {.at_ns = start.at_ns + 10, .number = 1};
	const struct amend second = {.at_ns = start.at_ns + 20, .number = 2};
	tell(MESSAGE_START, 1, &start);
	tell(MESSAGE_AMEND, 1, &second);
	tell(MESSAGE_AMEND, 1, &first);
	assert_int_equal(hear().counts[MESSAGE_AMENDED], 1);
	tell(MESSAGE_ABORT, 1, &stop_it);
	expect_only(MESSAGE_DONE);
}

static void a_failure_is_told_to_who_asks_again(void **state)
{
	(void)state;
	scene_null(&scene, "a", MIB, true);
	scene.prepare.phase.op = PHASE_OP_WRITE;
	scene.prepare.phase.size_bytes = 2 * MIB; /* none such */
	scene.names[0].name = (char *)"nowhere";
	take_lease();
	for (int i = 0; i < 2; i++) {
		tell(i ? MESSAGE_ABORT : MESSAGE_PREPARE, 1,
		     i ? (const void *)&stop_it : (const void *)&scene.prepare);
		struct message failed = expect(MESSAGE_FAILED);
		assert_non_null(strstr(((struct failed *)failed.body)->text, "nowhere"));
		message_release(&failed);
	}
	tell(MESSAGE_PREPARE, 1, &scene.prepare);
	assert_int_equal(hear().counts[MESSAGE_FAILED], 1);
}

static void what_is_of_an_earlier_phase_is_nothing(void **state)
{
	(void)state;
	take_lease();
	prepare_null(2);
	tell(MESSAGE_PREPARE, 1, &scene.prepare);
	start_in(1, 10 * NS_PER_S);
	tell(MESSAGE_ABORT, 1, &stop_it);
	struct heard heard = hear();
	assert_int_equal(heard.counts[MESSAGE_READY] + heard.counts[MESSAGE_FAILED], 0);
	assert_int_equal(next_state(), AGENT_STATE_READY);
	start_in(2, 50 * NS_PER_MS);
	expect_only(MESSAGE_DONE);
}

/* The controller goes on only where it is over for it. */
static void a_later_prepare_ends_what_waits_at_the_barrier(void **state)
{
	(void)state;
	take_lease();
	prepare_null(1);
	prepare_null(2);
	start_in(1, 50 * NS_PER_MS);
	start_in(2, 50 * NS_PER_MS);
	struct message done = expect(MESSAGE_DONE);
	assert_int_equal(done.envelope.phase, 2);
	message_release(&done);
}

/* Whose lists other threads have then. */
static void a_lease_in_a_phase_lists_nothing(void **state)
{
	struct error err;
	char *path = mem_format("%s/left", scene.folder);
	int fd;

	(void)state;
	assert_int_equal(made_files_create(scene.files, path, NULL, &fd, &err), 0);
	close(fd);
	take_lease();
	for (uint32_t phase = 0; phase < 2; phase++) {
		struct message leased = lease_again();
		assert_int_equal(((struct leased *)leased.body)->left_count, phase == 0);
		message_release(&leased);
		if (phase == 0)
			prepare_null(1);
	}
	release(0);
	free(path);
}

static void a_release_ends_what_waits_at_the_barrier(void **state)
{
	(void)state;
	take_lease();
	prepare_null(1);
	release(0);
}

static void a_start_that_is_late_is_so_each_time(void **state)
{
	const struct start start = {.at_ns = 1};

	(void)state;
	take_lease();
	prepare_null(1);
	tell(MESSAGE_START, 1, &start);
	tell(MESSAGE_START, 1, &start);
	assert_int_equal(hear().counts[MESSAGE_LATE], 2);
	assert_int_equal(next_state(), AGENT_STATE_READY);
}

/* A start behind it is not obeyed; who asks again has not heard that it was ready, or takes it for
 * started. */
static void who_is_stopped_at_the_barrier_never_starts(void **state)
{
	(void)state;
	take_lease();
	prepare_null(1);
	tell(MESSAGE_ABORT, 1, &stop_it);
	start_in(1, 50 * NS_PER_MS);
	assert_int_equal(hear().counts[MESSAGE_FAILED], 0);
	assert_int_equal(next_state(), AGENT_STATE_LEASED);
	tell(MESSAGE_ABORT, 1, &stop_it);
	struct message failed = expect(MESSAGE_FAILED);
	assert_int_equal(((struct failed *)failed.body)->kind, FAILED_BROKEN);
	assert_string_equal(((struct failed *)failed.body)->text, stop_it.reason);
	message_release(&failed);
}

static void an_abort_before_its_prepare_stops_it(void **state)
{
	(void)state;
	scene_null(&scene, "a", MIB, true);
	take_lease();
	tell(MESSAGE_ABORT, 1, &stop_it);
	expect_only(MESSAGE_FAILED);
	tell(MESSAGE_PREPARE, 1, &scene.prepare);
	assert_int_equal(hear().counts[MESSAGE_FAILED], 1);
	assert_int_equal(next_state(), AGENT_STATE_LEASED);
	prepare_null(2);
}

static void that_it_is_released_is_told_to_who_asks_again(void **state)
{
	(void)state;
	take_lease();
	release(0);
	release(0);
	/* Also when another has it. */
	struct message leased = try_lease_again();
	assert_non_null(leased.body);
	message_release(&leased);
	release(0);
	token = OTHER_TOKEN;
	assert_int_equal(next_state(), AGENT_STATE_LEASED);
	release(0);
}

/* ---- a peer that floods ---- */

#define FLOOD_BYTES (1u << 18)
static atomic_bool flooding;

/* An array of 262,139 nils: sent in no time, walked to its end. */
static void *flood(void *context)
{
	struct error err;
	struct channel *peer = channel_new(&err);
	struct channel_peer to, from;
	struct bytes frame = {.data = mem_new(FLOOD_BYTES, 1), .size = FLOOD_BYTES}, none;

	memset(frame.data, 0xc0, FLOOD_BYTES);
	memcpy(frame.data, "\xdd\x00\x03\xff\xfb", 5);
	channel_connect(peer, endpoint, &to, &err);
	while (atomic_load(&flooding)) {
		channel_send(peer, &to, &frame, &err);
		if (channel_receive(peer, 1, &from, &none) > 0)
			free(none.data);
	}
	channel_free(peer, 0);
	free(frame.data);
	return context;
}

static void a_peer_that_floods_does_not_silence_the_agent(void **state)
{
	pthread_t thread;

	(void)state;
	take_lease();
	atomic_store(&flooding, true);
	assert_int_equal(pthread_create(&thread, NULL, flood, NULL), 0);
	/* The first may have been on its way. */
	for (int i = 0; i < 4; i++)
		expect_only(MESSAGE_HEARTBEAT);
	atomic_store(&flooding, false);
	pthread_join(thread, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(files_stay_when_the_release_says_so, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(results_wait_until_the_controller_has_them, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_the_controller_has_is_removed, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_is_kept_of_a_run_is_for_who_has_its_secret,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_controller_that_falls_silent_finds_everything_again, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_controller_that_acknowledges_nothing_is_as_good_as_gone,
			set_up_small_outbox, tear_down),
		cmocka_unit_test_setup_teardown(files_that_are_left_are_told, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_phase_whose_results_may_not_fit_is_refused,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_phase_of_another_run_is_refused, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_run_s_id_names_no_path, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_heartbeat_tells_what_was_heard_last, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_comes_twice_is_done_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_amend_that_comes_late_is_nothing, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_failure_is_told_to_who_asks_again, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_is_of_an_earlier_phase_is_nothing, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_later_prepare_ends_what_waits_at_the_barrier,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_lease_in_a_phase_lists_nothing, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_release_ends_what_waits_at_the_barrier, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_start_that_is_late_is_so_each_time, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(who_is_stopped_at_the_barrier_never_starts, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(an_abort_before_its_prepare_stops_it, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(that_it_is_released_is_told_to_who_asks_again,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_peer_that_floods_does_not_silence_the_agent,
						set_up, tear_down),
	};

	test_folder_make();
	snprintf(work, sizeof(work), "%s/work", test_folder);
	if (!run("mkdir '%s'", work))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}

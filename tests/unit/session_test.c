/* The agent's conversation, with a controller that is this test. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "agent/session.h"
#include "proto/codec.h"
#include "tests/unit/phase_scene.h"

#define TOKEN "0123456789abcdef0123456789abcdef"

static struct scene scene;
static char work[128], endpoint[64];
static struct channel *agent, *controller;
static struct channel_peer to_agent;
static atomic_bool stop;
static pthread_t session;

static void *serve(void *context)
{
	const struct session_setup setup = {.config = &scene.config,
					    .files = scene.files,
					    .channel = agent,
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
	if (!agent || !controller)
		return -1;
	snprintf(endpoint, sizeof(endpoint), "tcp://127.0.0.1:%u", channel_port(agent));
	atomic_store(&stop, false);
	return channel_connect(controller, endpoint, &to_agent, &err) ||
	       pthread_create(&session, NULL, serve, NULL);
}

static int tear_down(void **state)
{
	void *failed;

	(void)state;
	atomic_store(&stop, true);
	pthread_join(session, &failed);
	channel_free(controller, 0);
	channel_free(agent, 0);
	scene_release(&scene);
	return failed ? -1 : 0;
}

static void tell(enum message_kind kind, uint32_t phase, const void *body)
{
	struct envelope envelope = {.kind = kind, .lease = TOKEN, .phase = phase, .attempt = phase};
	struct bytes frame = {0};
	struct error err;

	codec_pack(&envelope, body, &frame);
	assert_int_equal(channel_send(controller, &to_agent, &frame, &err), 0);
	free(frame.data);
}

/* The next message of that kind, released by the caller; what comes before it is left out. */
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
		if (message.envelope.kind == MESSAGE_FAILED)
			fail_msg("%s", ((struct failed *)message.body)->text);
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
				    .host = "h",
				    .dead_after_ns = 60 * NS_PER_S,
				    .clock_key = TOKEN TOKEN};

	tell(MESSAGE_LEASE, 0, &lease);
	expect_only(MESSAGE_LEASED);
}

/* From prepare to the last acknowledgement. */
static void run_phase(void)
{
	tell(MESSAGE_PREPARE, 1, &scene.prepare);
	expect_only(MESSAGE_READY);
	const struct start start = {.at_ns = clock_now_ns() + 50 * NS_PER_MS};
	tell(MESSAGE_START, 1, &start);
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
		cmocka_unit_test_setup_teardown(a_peer_that_floods_does_not_silence_the_agent,
						set_up, tear_down),
	};

	test_folder_make();
	snprintf(work, sizeof(work), "%s/work", test_folder);
	if (!run("mkdir '%s'", work))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}

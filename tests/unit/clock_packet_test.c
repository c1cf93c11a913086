#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "proto/clock_packet.h"

#define BODY (CLOCK_PACKET_SIZE - 16)

static const unsigned char secret[CLOCK_KEY_SIZE] = "0123456789abcdef0123456789abcdef";
static struct clock_key *key;

static const struct clock_packet ping = {
	.kind = CLOCK_PACKET_PING,
	.session = 0x1122334455667788,
	.sequence = 7,
	.t1 = 1000000000,
};
static const struct clock_packet pong = {
	.kind = CLOCK_PACKET_PONG,
	.kernel_t2 = true,
	.kernel_previous_t3 = true,
	.session = UINT64_MAX,
	.sequence = UINT32_MAX,
	.previous = UINT32_MAX - 1,
	.t1 = UINT64_MAX,
	.t2 = 0x0102030405060708,
	.t3 = 0x1112131415161718,
	.previous_t3 = 0x2122232425262728,
	.t2_error_ns = 90,
	.previous_t3_error_ns = UINT32_MAX,
};

static int set_up(void **state)
{
	(void)state;
	key = clock_key_new(secret);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	clock_key_free(key);
	return 0;
}

static void a_packet_comes_back_as_it_went(void **state)
{
	(void)state;
	const struct clock_packet *cases[] = {&ping, &pong};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct clock_packet *want = cases[i];
		unsigned char data[CLOCK_PACKET_SIZE];
		struct clock_packet got;
		uint64_t session;
		clock_packet_pack(want, key, data);
		assert_true(clock_packet_unpack(&got, key, data, sizeof(data)));
		assert_int_equal(got.kind, want->kind);
		assert_int_equal(got.kernel_t2, want->kernel_t2);
		assert_int_equal(got.kernel_previous_t3, want->kernel_previous_t3);
		assert_int_equal(got.session, want->session);
		assert_int_equal(got.sequence, want->sequence);
		assert_int_equal(got.previous, want->previous);
		assert_int_equal(got.t1, want->t1);
		assert_int_equal(got.t2, want->t2);
		assert_int_equal(got.t3, want->t3);
		assert_int_equal(got.previous_t3, want->previous_t3);
		assert_int_equal(got.t2_error_ns, want->t2_error_ns);
		assert_int_equal(got.previous_t3_error_ns, want->previous_t3_error_ns);
		assert_true(clock_packet_session(data, sizeof(data), &session));
		assert_int_equal(session, want->session);
	}
}

/* As another implementation of the header and of RFC 2104 computed it. */
static void the_bytes_are_those_that_the_header_states(void **state)
{
	(void)state;
	static const unsigned char want[] = {
		0x4d, 0x43, 0x4b, 0x31, 0x02, 0x03, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01, 0x18, 0x17,
		0x16, 0x15, 0x14, 0x13, 0x12, 0x11, 0x28, 0x27, 0x26, 0x25, 0x24, 0x23, 0x22, 0x21,
		0x5a, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xf8, 0xbd, 0xff, 0x74, 0xc3, 0xd0,
		0x1b, 0x11, 0x3e, 0xa5, 0x25, 0x62, 0x9e, 0xd9, 0x42, 0xdc,
	};
	unsigned char data[CLOCK_PACKET_SIZE];
	clock_packet_pack(&pong, key, data);
	assert_int_equal(sizeof(want), sizeof(data));
	assert_memory_equal(data, want, sizeof(want));
}

static void a_packet_with_any_bit_changed_is_refused(void **state)
{
	(void)state;
	unsigned char data[CLOCK_PACKET_SIZE];
	struct clock_packet got;
	clock_packet_pack(&pong, key, data);
	for (unsigned bit = 0; bit < 8 * sizeof(data); bit++) {
		data[bit / 8] ^= (unsigned char)(1u << bit % 8);
		assert_false(clock_packet_unpack(&got, key, data, sizeof(data)));
		data[bit / 8] ^= (unsigned char)(1u << bit % 8);
	}
	assert_true(clock_packet_unpack(&got, key, data, sizeof(data)));
}

static void a_packet_of_any_other_size_is_refused(void **state)
{
	(void)state;
	unsigned char data[2 * CLOCK_PACKET_SIZE] = {0};
	struct clock_packet got;
	uint64_t session;
	clock_packet_pack(&ping, key, data);
	for (size_t size = 0; size <= sizeof(data); size++) {
		assert_int_equal(clock_packet_unpack(&got, key, data, size),
				 size == CLOCK_PACKET_SIZE);
		assert_int_equal(clock_packet_session(data, size, &session),
				 size == CLOCK_PACKET_SIZE);
	}
}

static void a_packet_of_another_key_is_refused(void **state)
{
	(void)state;
	unsigned char data[CLOCK_PACKET_SIZE], other[CLOCK_KEY_SIZE];
	struct clock_packet got;
	memcpy(other, secret, sizeof(other));
	other[CLOCK_KEY_SIZE - 1] ^= 1;
	struct clock_key *forger = clock_key_new(other);
	clock_packet_pack(&ping, forger, data);
	assert_false(clock_packet_unpack(&got, key, data, sizeof(data)));
	assert_true(clock_packet_unpack(&got, forger, data, sizeof(data)));
	clock_key_free(forger);
}

static void seal(unsigned char data[CLOCK_PACKET_SIZE])
{
	unsigned char mac[EVP_MAX_MD_SIZE];
	unsigned size;
	assert_non_null(HMAC(EVP_sha256(), secret, sizeof(secret), data, BODY, mac, &size));
	memcpy(data + BODY, mac, CLOCK_PACKET_SIZE - BODY);
}

/* From a peer with the key, but of another build, or out of its mind. */
static void what_is_authentic_and_no_packet_is_refused(void **state)
{
	(void)state;
	static const struct {
		unsigned at;
		unsigned char value;
		bool is_packet;
	} cases[] = {
		{0, 'M', true}, {0, 'm', false}, {3, '2', false}, {4, 0, false},
		{4, 1, true},   {4, 2, true},    {4, 3, false},   {4, 255, false},
		{5, 0, true},   {5, 3, true},    {5, 4, false},   {5, 0x83, false},
		{6, 1, false},  {7, 1, false},   {8, 99, true},   {63, 99, true},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned char data[CLOCK_PACKET_SIZE];
		struct clock_packet got;
		print_message("byte %u is %u\n", cases[i].at, cases[i].value);
		clock_packet_pack(&ping, key, data);
		data[cases[i].at] = cases[i].value;
		seal(data);
		assert_int_equal(clock_packet_unpack(&got, key, data, sizeof(data)),
				 cases[i].is_packet);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_packet_comes_back_as_it_went),
		cmocka_unit_test(the_bytes_are_those_that_the_header_states),
		cmocka_unit_test(a_packet_with_any_bit_changed_is_refused),
		cmocka_unit_test(a_packet_of_any_other_size_is_refused),
		cmocka_unit_test(a_packet_of_another_key_is_refused),
		cmocka_unit_test(what_is_authentic_and_no_packet_is_refused),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}

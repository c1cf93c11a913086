#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "agent/outbox.h"
#include "common/memory.h"

static void add(struct outbox *outbox, size_t size)
{
	struct bytes frame = {.data = mem_new(size, 1), .size = size};
	outbox_add(outbox, &frame);
	assert_null(frame.data); /* taken */
}

static void an_item_stays_until_it_is_acknowledged(void **state)
{
	(void)state;
	struct outbox outbox;
	outbox_init(&outbox);
	add(&outbox, 10);
	add(&outbox, 20);
	add(&outbox, 30);
	assert_int_equal(outbox.sequence, 3);
	assert_int_equal(outbox.bytes, 60);
	outbox_acknowledge(&outbox, 0);
	assert_int_equal(outbox.first->sequence, 1);
	outbox_acknowledge(&outbox, 2);
	assert_int_equal(outbox.first->sequence, 3);
	assert_int_equal(outbox.bytes, 30);
	outbox_acknowledge(&outbox, 99);
	assert_true(outbox_is_empty(&outbox));
	add(&outbox, 5); /* after it was empty */
	assert_int_equal(outbox.first->sequence, 4);
	outbox_release(&outbox);
	assert_int_equal(outbox.sequence, 0);
}

static void what_was_not_acknowledged_is_due_again_in_order(void **state)
{
	(void)state;
	struct outbox outbox;
	outbox_init(&outbox);
	add(&outbox, 1);
	add(&outbox, 1);
	struct outbox_item *item = outbox_due(&outbox, 1000, 500);
	assert_int_equal(item->sequence, 1);
	item->sent_ns = 1000;
	item = outbox_due(&outbox, 1000, 500);
	assert_int_equal(item->sequence, 2);
	item->sent_ns = 1000;
	assert_null(outbox_due(&outbox, 1499, 500));
	assert_int_equal(outbox_due(&outbox, 1500, 500)->sequence, 1);
	outbox_release(&outbox);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_item_stays_until_it_is_acknowledged),
		cmocka_unit_test(what_was_not_acknowledged_is_due_again_in_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

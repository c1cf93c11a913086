/* Which devices are beneath the targets of a phase, and each of them once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>

#include "agent/device_counters.h"
#include "common/clock.h"
#include "common/memory.h"
#include "tests/unit/loop_device.h"

static char device[64];

static void two_targets_on_one_device_are_one_device(void **state)
{
	(void)state;
	struct device_counters counters = {0};
	struct done done = {0};
	int fd = open(device, O_RDWR | O_DIRECT);
	assert_true(fd >= 0);
	device_counters_add(&counters, fd, "a");
	uint32_t count = counters.count;
	assert_true(count >= 1);
	device_counters_add(&counters, fd, "b");
	device_counters_add(&counters, fd, "b");
	assert_int_equal(counters.count, count);
	device_counters_before(&counters);
	char *block = NULL;
	assert_int_equal(posix_memalign((void **)&block, 4096, 65536), 0);
	memset(block, 1, 65536);
	assert_int_equal(pwrite(fd, block, 65536, 0), 65536);
	assert_int_equal(pread(fd, block, 32768, 0), 32768);
	free(block);
	close(fd);
	device_counters_after(&counters);
	device_counters_report(&counters, &done);
	assert_int_equal(done.devices_count, count);
	const struct done_device *d = &done.devices[0];
	assert_string_equal(d->device, device + strlen("/dev/"));
	assert_null(d->under);
	assert_int_equal(d->targets_count, 2);
	assert_string_equal(d->targets[0].name, "a");
	assert_string_equal(d->targets[1].name, "b");
	assert_int_equal(d->written_after - d->written_before, 65536);
	assert_int_equal(d->read_after - d->read_before, 32768);
	record_release(&done_table, &done);
	device_counters_release(&counters);
}

static void a_descriptor_without_devices_adds_none(void **state)
{
	(void)state;
	struct device_counters counters = {0};
	int fd = open("/dev/null", O_RDONLY);
	device_counters_add(&counters, fd, "a");
	assert_int_equal(counters.count, 0);
	close(fd);
	device_counters_release(&counters);
}

static void a_device_without_counters_is_dropped(void **state)
{
	(void)state;
	struct device_counters counters = {0};
	for (int i = 0; i < 3; i++) {
		struct done_device *d = RECORD_APPEND(counters.devices, counters.count);
		d->device = mem_text(i == 1 ? device + strlen("/dev/") : "no-such-device");
	}
	device_counters_before(&counters);
	assert_int_equal(counters.count, 1);
	assert_string_equal(counters.devices[0].device, device + strlen("/dev/"));
	device_counters_release(&counters);
}

/* On a busy host the thread that reads them can wake after the workers have begun. */
static void who_reads_after_the_start_keeps_what_was_read_before(void **state)
{
	(void)state;
	struct device_counters counters = {0};
	struct done_device *d = RECORD_APPEND(counters.devices, counters.count);
	d->device = mem_text(device + strlen("/dev/"));
	device_counters_before(&counters);
	uint64_t truth = d->written_before;
	d->written_before = truth + 7;
	device_counters_again(&counters, clock_now_ns());
	assert_int_equal(d->written_before, truth + 7);
	device_counters_again(&counters, clock_now_ns() + 60 * NS_PER_S);
	assert_true(d->written_before >= truth && d->written_before != truth + 7);
	device_counters_release(&counters);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_targets_on_one_device_are_one_device),
		cmocka_unit_test(a_descriptor_without_devices_adds_none),
		cmocka_unit_test(a_device_without_counters_is_dropped),
		cmocka_unit_test(who_reads_after_the_start_keeps_what_was_read_before),
	};

	test_folder_make();
	const char *missing = no_loop_devices();
	if (missing) {
		fprintf(stderr, "skipped: %s\n", missing);
		return 77;
	}
	if (!loop_make("disk", 1, device))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "common/random.h"

#include <fcntl.h>
#include <unistd.h>

#include "common/clock.h"

uint64_t random_unbiased(struct random *r, uint64_t below, random_product product)
{
	uint64_t reject = (0 - below) % below;

	while ((uint64_t)product < reject)
		product = (random_product)random_next(r) * below;
	return (uint64_t)(product >> 64);
}

bool random_secret(void *into, size_t size)
{
	int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, into, size);

	if (fd >= 0)
		close(fd);
	return got == (ssize_t)size;
}

uint64_t random_seed(void)
{
	uint64_t seed;

	if (random_secret(&seed, sizeof(seed)))
		return seed;
	/* A chroot without devices: two programs still differ in at least one of these. */
	return random_mix(clock_now_ns() ^ random_mix((uint64_t)getpid()));
}

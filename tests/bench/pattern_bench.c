/* pattern_bench - processor time of making and checking data, a GiB at a time from a buffer of 1
 * MiB (and of 4 KiB), as a worker has it. Prints CPU seconds a GiB; asks for 0.10 and 0.15 at most.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/pattern.h"

#define GIB    (UINT64_C(1) << 30)
#define ROUNDS 5

static unsigned char buffer[1 << 20];
static unsigned char from[1 << 20];

static double cpu_s(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

static double fill_gib(size_t block)
{
	double start = cpu_s();

	for (uint64_t at = 0; at < GIB; at += block) {
		struct pattern_key key = pattern_key(1, 2, at);
		pattern_fill(buffer, block, key, at);
	}
	return cpu_s() - start;
}

static double check_gib(size_t block)
{
	struct pattern_key key = pattern_key(1, 2, 3);

	pattern_fill(buffer, block, key, 0);
	double start = cpu_s();
	for (uint64_t at = 0; at < GIB; at += block) {
		key = pattern_key(1, 2, 3);
		if (pattern_check(buffer, block, key, 0) != block)
			exit(1);
	}
	return cpu_s() - start;
}

static double copy_gib(size_t block)
{
	double start = cpu_s();

	for (uint64_t at = 0; at < GIB; at += block) {
		memcpy(buffer, from, block);
		__asm__ volatile("" ::: "memory");
	}
	return cpu_s() - start;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double (*what)(size_t), size_t block)
{
	double all[ROUNDS];

	for (int i = 0; i < ROUNDS; i++)
		all[i] = what(block);
	qsort(all, ROUNDS, sizeof(*all), compare);
	return all[ROUNDS / 2];
}

int main(void)
{
	static const size_t blocks[] = {4096, 1 << 20};

	for (size_t i = 0; i < 2; i++)
		printf("%7zu bytes: fill %.4f, check %.4f, memcpy %.4f CPU s a GiB\n", blocks[i],
		       median(fill_gib, blocks[i]), median(check_gib, blocks[i]),
		       median(copy_gib, blocks[i]));
	return 0;
}

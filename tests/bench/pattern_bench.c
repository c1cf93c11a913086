/* pattern_bench - processor time of making and checking data, a GiB at a time from a buffer of 1
 * MiB (and of 4 KiB), as a worker has it; also from 256 MiB, which no cache holds, as what a device
 * has just written. Prints CPU seconds a GiB; asked for are 0.10 and 0.15 at most, plain. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/pattern.h"

#define GIB    (UINT64_C(1) << 30)
#define ROUNDS 5

#define COLD (UINT64_C(256) << 20)

static unsigned char buffer[1 << 20];
static unsigned char from[1 << 20];
static unsigned char *cold;
static struct pattern_shape shape;

static double cpu_s(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

static double fill_gib(size_t block)
{
	double start = cpu_s();

	for (uint64_t at = 0; at < GIB; at += block) {
		struct pattern_key key = pattern_key(1, 2, at / block, shape);
		pattern_fill(buffer, block, key, at);
	}
	return cpu_s() - start;
}

static double check_gib(size_t block)
{
	struct pattern_key key = pattern_key(1, 2, 3, shape);

	pattern_fill(buffer, block, key, 0);
	double start = cpu_s();
	for (uint64_t at = 0; at < GIB; at += block) {
		key = pattern_key(1, 2, 3, shape);
		if (pattern_check(buffer, block, key, 0) != block)
			exit(1);
	}
	return cpu_s() - start;
}

static double check_cold_gib(size_t block)
{
	struct pattern_key key = pattern_key(1, 2, 3, shape);
	double start = cpu_s();

	for (uint64_t at = 0; at < GIB; at += block)
		if (pattern_check(cold + at % COLD, block, key, at % COLD) != block)
			exit(1);
	return cpu_s() - start;
}

static double read_cold_gib(size_t block)
{
	double start = cpu_s();
	uint64_t sum = 0;

	for (uint64_t at = 0; at < GIB; at += block) {
		const uint64_t *words = (const uint64_t *)(cold + at % COLD);
		for (size_t i = 0; i < block / sizeof(*words); i++)
			sum ^= words[i];
		__asm__ volatile("" : "+r"(sum));
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

static void print_shape(const char *name, struct pattern_shape of)
{
	static const size_t blocks[] = {4096, 1 << 20};

	shape = of;
	pattern_fill(cold, COLD, pattern_key(1, 2, 3, shape), 0);
	for (size_t i = 0; i < 2; i++)
		printf("%-22s %7zu bytes: fill %.4f, check %.4f, check of what is cold %.4f\n",
		       name, blocks[i], median(fill_gib, blocks[i]), median(check_gib, blocks[i]),
		       median(check_cold_gib, blocks[i]));
}

int main(void)
{
	cold = malloc(COLD);
	if (!cold)
		return 1;
	printf("CPU seconds a GiB\n");
	print_shape("plain", (struct pattern_shape){0});
	print_shape("compress 50%", (struct pattern_shape){.compress = 50});
	print_shape("dedupe 20%", (struct pattern_shape){.dedupe = 20});
	print_shape("aes-ctr", (struct pattern_shape){.source = PATTERN_AES_CTR});
	printf("%-22s %7d bytes: memcpy %.4f, reading what is cold %.4f\n", "for comparison",
	       1 << 20, median(copy_gib, 1 << 20), median(read_cold_gib, 1 << 20));
	free(cold);
	return 0;
}

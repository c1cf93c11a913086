#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/nodeset.h"
#include "common/nodeset_item.h"

/* Names are folded one dimension after the other, the last first: neighbours that differ in their
 * k-th number alone become one text with a bracket there. What stands before the k-th number is not
 * folded yet, so the order of the names stays. */

/* The k-th number (from 0) of a text whose first k + 1 numbers are not in brackets. */
struct number {
	const char *at;
	size_t size;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* at is NULL where there is no such number, or one that cannot stand in brackets. */
static struct number number_find(const char *text, uint32_t k)
{
	for (; *text && *text != '['; text++) {
		size_t size = strspn(text, "0123456789");
		if (size && k-- == 0)
			return size <= NODESET_DIGITS_MAX ? (struct number){text, size}
							  : (struct number){0};
		text += size ? size - 1 : 0;
	}
	return (struct number){0};
}

static uint32_t number_count(const char *text)
{
	uint32_t count = 0;

	for (; *text; text++)
		count += is_digit(text[0]) && !is_digit(text[1]);
	return count;
}

/* Whether two texts are the same but for their k-th numbers. */
static bool is_alike(const char *a, struct number in_a, const char *b, struct number in_b)
{
	return in_a.at && in_b.at && in_a.at - a == in_b.at - b &&
	       memcmp(a, b, (size_t)(in_a.at - a)) == 0 &&
	       strcmp(in_a.at + in_a.size, in_b.at + in_b.size) == 0;
}

static uint64_t number_value(struct number number)
{
	uint64_t value = 0;

	for (size_t i = 0; i < number.size; i++)
		value = value * 10 + (uint64_t)(number.at[i] - '0');
	return value;
}

/* Whether a range that begins with `first` prints `value` as `number` is written. */
static bool prints_as(struct number first, uint64_t value, struct number number)
{
	size_t digits = 1;

	for (uint64_t rest = value; rest >= 10; rest /= 10)
		digits++;
	return number_value(number) == value &&
	       number.size == (digits > first.size ? digits : first.size);
}

/* How many numbers from numbers[0] on are one range, and its step. */
static uint32_t range_size(const struct number *numbers, uint32_t count, uint64_t *step)
{
	uint64_t first = number_value(numbers[0]);
	uint32_t n = 1;

	*step = 1;
	if (count < 2 || number_value(numbers[1]) <= first)
		return 1;
	*step = number_value(numbers[1]) - first;
	while (n < count && prints_as(numbers[0], first + n * *step, numbers[n]))
		n++;
	/* "1,3,5" is as short as "1-5/2". */
	return *step == 1 || n > 3 ? n : 1;
}

/* "[01-16,20]" of all numbers, the caller's to free. */
static char *format_bracket(const struct number *numbers, uint32_t count)
{
	char *text = mem_new(count * (2 * NODESET_DIGITS_MAX + 24) + 3, 1), *at = text;
	uint64_t step;

	for (uint32_t i = 0, n; i < count; i += n) {
		n = range_size(numbers + i, count - i, &step);
		*at++ = i ? ',' : '[';
		at = (char *)memcpy(at, numbers[i].at, numbers[i].size) + numbers[i].size;
		if (n == 1)
			continue;
		struct number last = numbers[i + n - 1];
		*at++ = '-';
		at = (char *)memcpy(at, last.at, last.size) + last.size;
		if (step > 1)
			at += sprintf(at, "/%llu", (unsigned long long)step);
	}
	strcpy(at, "]");
	return text;
}

/* Takes `count` texts that differ in `numbers` alone. */
static char *join(char **texts, const struct number *numbers, uint32_t count)
{
	char *bracket = format_bracket(numbers, count);
	char *joined = mem_format("%.*s%s%s", (int)(numbers[0].at - texts[0]), texts[0], bracket,
				  numbers[0].at + numbers[0].size);

	free(bracket);
	for (uint32_t i = 0; i < count; i++)
		free(texts[i]);
	return joined;
}

/* Folds dimension k in place; answers how many texts are left. `numbers` has room for `count`. */
static uint32_t fold(char **texts, uint32_t count, uint32_t k, struct number *numbers)
{
	uint32_t left = 0;

	for (uint32_t i = 0, n; i < count; i += n) {
		numbers[0] = number_find(texts[i], k);
		for (n = 1; i + n < count; n++) {
			numbers[n] = number_find(texts[i + n], k);
			if (!is_alike(texts[i], numbers[0], texts[i + n], numbers[n]))
				break;
		}
		texts[left++] = n > 1 ? join(texts + i, numbers, n) : texts[i];
	}
	return left;
}

/* All texts with commas between; frees them. */
static char *concatenate(char **texts, uint32_t count)
{
	size_t size = 1;

	for (uint32_t i = 0; i < count; i++)
		size += strlen(texts[i]) + 1;
	char *all = mem_new(size, 1), *at = all;
	for (uint32_t i = 0; i < count; i++) {
		size_t length = strlen(texts[i]);
		if (i)
			*at++ = ',';
		at = (char *)memcpy(at, texts[i], length) + length;
		free(texts[i]);
	}
	return all;
}

char *nodeset_format(const struct nodeset *set)
{
	char **texts = mem_new(set->count, sizeof(*texts));
	struct number *numbers = mem_new(set->count, sizeof(*numbers));
	uint32_t count = set->count, dimensions = 0;

	for (uint32_t i = 0; i < count; i++) {
		bool address = strchr(set->names[i], ':');
		texts[i] = address ? mem_format("[%s]", set->names[i]) : mem_text(set->names[i]);
		if (number_count(set->names[i]) > dimensions)
			dimensions = number_count(set->names[i]);
	}
	for (uint32_t k = dimensions; k > 0; k--)
		count = fold(texts, count, k - 1, numbers);
	char *all = concatenate(texts, count);
	free(numbers);
	free(texts);
	return all;
}

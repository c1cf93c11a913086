#include "agent/stripe.h"

uint64_t stripe_part_end(const struct stripe *stripe, uint32_t part, uint64_t end)
{
	if (stripe->parts == 1)
		return end;
	uint64_t row = stripe->unit * stripe->parts;
	uint64_t rest = end % row, before = stripe->unit * part;
	uint64_t in_row = rest > before ? rest - before : 0;
	return end / row * stripe->unit + (in_row < stripe->unit ? in_row : stripe->unit);
}

uint64_t stripe_extent(const struct stripe *stripe, uint64_t smallest)
{
	if (stripe->parts == 1)
		return smallest;
	uint64_t units = smallest / stripe->unit;
	uint64_t row = stripe->unit * stripe->parts;
	return units > UINT64_MAX / row ? UINT64_MAX / row * row : units * row;
}

uint64_t stripe_vectors(const struct stripe *stripe, uint64_t length)
{
	if (stripe->parts == 1)
		return 1;
	uint64_t units = length / stripe->unit + 2; /* cut at both ends */
	return (units + stripe->parts - 1) / stripe->parts;
}

static void add_piece(struct io *io, uint64_t offset, char *buffer, size_t length)
{
	if (!io->length)
		io->offset = offset;
	io->vector[io->vector_count++] = (struct iovec){.iov_base = buffer, .iov_len = length};
	io->length += length;
}

void stripe_map(const struct stripe *stripe, uint64_t offset, char *buffer, size_t length,
		struct io *ios)
{
	for (uint32_t i = 0; i < stripe->parts; i++)
		ios[i].length = 0, ios[i].vector_count = 0;
	if (stripe->parts == 1) {
		add_piece(&ios[0], offset, buffer, length);
		return;
	}
	uint64_t unit = offset / stripe->unit, within = offset % stripe->unit;
	uint64_t row = unit / stripe->parts;
	uint32_t part = (uint32_t)(unit % stripe->parts);
	while (length) {
		size_t piece = stripe->unit - within < length ? stripe->unit - within : length;
		add_piece(&ios[part], row * stripe->unit + within, buffer, piece);
		buffer += piece;
		length -= piece;
		within = 0;
		if (++part == stripe->parts)
			part = 0, row++;
	}
}

#include "agent/outbox.h"

#include <stdlib.h>

#include "common/memory.h"

void outbox_init(struct outbox *outbox)
{
	*outbox = (struct outbox){0};
	outbox->last = &outbox->first;
}

static void drop_first(struct outbox *outbox)
{
	struct outbox_item *item = outbox->first;
	outbox->first = item->next;
	if (!outbox->first)
		outbox->last = &outbox->first;
	outbox->bytes -= item->frame.size;
	free(item->frame.data);
	free(item);
}

void outbox_release(struct outbox *outbox)
{
	while (outbox->first)
		drop_first(outbox);
	outbox_init(outbox);
}

void outbox_add(struct outbox *outbox, struct bytes *frame)
{
	struct outbox_item *item = mem_new(1, sizeof(*item));
	item->sequence = ++outbox->sequence;
	item->frame = *frame;
	*frame = (struct bytes){0};
	*outbox->last = item;
	outbox->last = &item->next;
	outbox->bytes += item->frame.size;
}

void outbox_acknowledge(struct outbox *outbox, uint64_t sequence)
{
	while (outbox->first && outbox->first->sequence <= sequence)
		drop_first(outbox);
}

struct outbox_item *outbox_due(struct outbox *outbox, uint64_t now_ns, uint64_t again_ns)
{
	for (struct outbox_item *item = outbox->first; item; item = item->next)
		if (!item->sent_ns || now_ns - item->sent_ns >= again_ns)
			return item;
	return NULL;
}

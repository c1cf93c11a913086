/* clock_socket_linux.c - software stamps of the kernel (SO_TIMESTAMPING) for both directions.
 *
 * The kernel stamps with CLOCK_REALTIME. A stamp is brought onto clock_now_ns() by its age: both
 * clocks are read at nearly the same instant, the age is taken off. Half of "nearly" is error, as
 * are 500 ppm of the age, by which the two may run apart. Stamps of what left come on the error
 * queue, numbered from 0 since numbering was switched on. */
#include "proto/clock_socket.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <linux/errqueue.h>
#include <linux/net_tstamp.h>

#include "common/clock.h"
#include "common/memory.h"
#include "proto/udp.h"

#define BRACKETS    20
#define SENT_KEPT   1024 /* whose stamps may still be asked for; a power of two */
#define PROVED_BY   16   /* datagrams after which a stamp should have come */
#define AGE_MAX_NS  NS_PER_S
#define APART_EACH  2000 /* 500 ppm */
#define STEP_NS     1000 /* by which the wall clock may move beyond that without being distrusted */
#define ROUNDING_NS 20   /* two conversions in the kernel, and counters of two processors */

#define STAMP_RECEIVED SOF_TIMESTAMPING_RX_SOFTWARE
#define STAMP_SENT     (SOF_TIMESTAMPING_TX_SOFTWARE | SOF_TIMESTAMPING_OPT_TSONLY)

struct sent {
	uint32_t number;
	uint32_t error_ns;
	uint64_t before_ns, at_ns; /* at_ns 0: not known */
};

/* Our clock and the wall's at the same instant, but for half_ns. */
struct bracket {
	uint64_t own_ns, wall_ns, half_ns;
};

struct clock_socket {
	struct udp udp;
	bool receive_granted, send_granted;
	uint64_t received, received_stamped, sent_stamped;
	uint32_t number;  /* of the latest sent */
	uint32_t numbers; /* sent before the kernel's numbering began */
	uint32_t pending; /* sent whose stamp has not come */
	struct sent sent[SENT_KEPT];
	struct bracket last;
	uint64_t tightest_ns; /* width of the best bracket so far */
};

/* ---- stamps ---- */

static uint64_t in_ns(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * NS_PER_S + (uint64_t)time->tv_nsec;
}

/* The tightest of some tries: one that was preempted in between is worth nothing. */
static struct bracket read_bracket(struct clock_socket *socket)
{
	struct bracket best = {.half_ns = UINT64_MAX};
	uint64_t enough = socket->tightest_ns + socket->tightest_ns / 8;

	for (unsigned i = 0; i < BRACKETS; i++) {
		struct timespec wall;
		uint64_t before = clock_now_ns();
		clock_gettime(CLOCK_REALTIME, &wall);
		uint64_t width = clock_now_ns() - before;
		if ((width + 1) / 2 < best.half_ns)
			best = (struct bracket){.own_ns = before + width / 2,
						.wall_ns = in_ns(&wall),
						.half_ns = (width + 1) / 2};
		if (width <= enough)
			break;
	}
	if (socket->tightest_ns == 0 || 2 * best.half_ns < socket->tightest_ns)
		socket->tightest_ns = 2 * best.half_ns;
	return best;
}

/* Whether the wall clock was set between the two: then an age across that says nothing. */
static bool is_stepped(const struct bracket *before, const struct bracket *after)
{
	uint64_t elapsed = after->own_ns - before->own_ns;
	int64_t moved = (int64_t)(after->wall_ns - before->wall_ns - elapsed);
	uint64_t distance = moved < 0 ? 0 - (uint64_t)moved : (uint64_t)moved;

	return after->own_ns < before->own_ns ||
	       distance > elapsed / APART_EACH + before->half_ns + after->half_ns + STEP_NS;
}

/* False: not to be trusted. */
static bool convert(struct clock_socket *socket, const struct timespec *stamp, uint64_t *at_ns,
		    uint64_t *error_ns)
{
	struct bracket before = socket->last, now = read_bracket(socket);
	uint64_t stamp_ns = in_ns(stamp);

	socket->last = now;
	if (stamp_ns > now.wall_ns || now.wall_ns - stamp_ns >= AGE_MAX_NS ||
	    is_stepped(&before, &now))
		return false;
	uint64_t age = now.wall_ns - stamp_ns;
	*at_ns = now.own_ns - age;
	*error_ns = now.half_ns + age / APART_EACH + ROUNDING_NS;
	return true;
}

static bool find_stamp(struct cmsghdr *control, struct timespec *stamp)
{
	struct timespec stamps[3];

	if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SO_TIMESTAMPING ||
	    control->cmsg_len < CMSG_LEN(sizeof(stamps)))
		return false;
	memcpy(stamps, CMSG_DATA(control), sizeof(stamps));
	*stamp = stamps[0]; /* the others are the hardware's */
	return stamp->tv_sec != 0 || stamp->tv_nsec != 0;
}

/* ---- what left ---- */

static bool find_number(struct cmsghdr *control, uint32_t *number)
{
	struct sock_extended_err report;
	bool is_report =
		(control->cmsg_level == IPPROTO_IP && control->cmsg_type == IP_RECVERR) ||
		(control->cmsg_level == IPPROTO_IPV6 && control->cmsg_type == IPV6_RECVERR);

	if (!is_report || control->cmsg_len < CMSG_LEN(sizeof(report)))
		return false;
	memcpy(&report, CMSG_DATA(control), sizeof(report));
	*number = report.ee_data;
	return report.ee_origin == SO_EE_ORIGIN_TIMESTAMPING && report.ee_info == SCM_TSTAMP_SND;
}

static void note_sent(struct clock_socket *socket, uint32_t id, const struct timespec *stamp)
{
	uint32_t number = socket->numbers + id + 1;
	struct sent *sent = &socket->sent[number % SENT_KEPT];
	uint64_t at_ns, error_ns;

	socket->sent_stamped++;
	if (sent->number != number || sent->at_ns != 0 ||
	    !convert(socket, stamp, &at_ns, &error_ns))
		return;
	/* One that proves no more than the program's own clock did is not worth having; one before
	 * it belongs to another datagram. */
	if (at_ns < sent->before_ns || at_ns - sent->before_ns <= error_ns)
		return;
	sent->at_ns = at_ns;
	sent->error_ns = (uint32_t)error_ns;
}

/* Room for the stamps, and for the report with its address. */
union control {
	struct cmsghdr aligned;
	char data[512];
};

/* Takes one report from the error queue. */
static bool take_report(struct clock_socket *socket)
{
	union control control;
	struct msghdr message = {.msg_control = &control, .msg_controllen = sizeof(control)};
	struct timespec stamp;
	uint32_t id = 0;
	bool is_stamp = false, is_sent = false;

	if (recvmsg(socket->udp.fd, &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
		return false;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c)) {
		is_stamp = is_stamp || find_stamp(c, &stamp);
		is_sent = is_sent || find_number(c, &id);
	}
	if (is_sent && socket->pending > 0)
		socket->pending--;
	if (is_stamp && is_sent)
		note_sent(socket, id, &stamp);
	return true;
}

/* Over the loopback and most devices the stamp is there when the send returns. Taking it at once
 * saves a poll, which would otherwise return for it. */
static void take_reports(struct clock_socket *socket)
{
	while (socket->pending > 0 && take_report(socket))
		;
}

/* ---- the socket ---- */

static bool request(struct clock_socket *socket, unsigned flags)
{
	flags |= SOF_TIMESTAMPING_SOFTWARE;
	return setsockopt(socket->udp.fd, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof(flags)) == 0;
}

/* Switching the numbers off and on again starts them anew. */
static void number_anew(struct clock_socket *socket)
{
	while (take_report(socket))
		;
	socket->pending = 0;
	socket->numbers = socket->number;
	socket->receive_granted = request(socket, STAMP_RECEIVED);
	socket->send_granted =
		socket->receive_granted &&
		request(socket, STAMP_RECEIVED | STAMP_SENT | SOF_TIMESTAMPING_OPT_ID);
}

struct clock_socket *clock_socket_open(const struct sockaddr *address, socklen_t size,
				       struct error *err)
{
	struct clock_socket *socket = mem_new(1, sizeof(*socket));

	if (udp_init(&socket->udp, address, size, err) < 0) {
		free(socket);
		return NULL;
	}
	socket->last = read_bracket(socket);
	number_anew(socket);
	return socket;
}

void clock_socket_close(struct clock_socket *socket)
{
	if (!socket)
		return;
	udp_release(&socket->udp);
	free(socket);
}

uint16_t clock_socket_port(const struct clock_socket *socket)
{
	return udp_port(&socket->udp);
}

bool clock_socket_kernel_receive(const struct clock_socket *socket)
{
	return socket->receive_granted &&
	       (socket->received_stamped > 0 || socket->received < PROVED_BY);
}

bool clock_socket_kernel_send(const struct clock_socket *socket)
{
	return socket->send_granted && (socket->sent_stamped > 0 || socket->number < PROVED_BY);
}

int clock_socket_send(struct clock_socket *socket, const void *data, size_t size,
		      const struct sockaddr *to, socklen_t to_size, uint32_t *number,
		      uint64_t *before_ns)
{
	struct sent *sent = &socket->sent[++socket->number % SENT_KEPT];

	*number = socket->number;
	*before_ns = clock_now_ns();
	*sent = (struct sent){.number = socket->number, .before_ns = *before_ns};
	if (sendto(socket->udp.fd, data, size, MSG_DONTWAIT, to, to_size) < 0) {
		int error = errno;
		/* Whether the kernel has counted it differs between kernels. */
		number_anew(socket);
		return -error;
	}
	socket->pending += socket->send_granted;
	take_reports(socket);
	return 0;
}

bool clock_socket_sent(struct clock_socket *socket, uint32_t number, uint64_t *at_ns,
		       uint32_t *error_ns)
{
	const struct sent *sent = &socket->sent[number % SENT_KEPT];

	if (number == 0 || sent->number != number)
		return false;
	if (sent->at_ns == 0)
		take_reports(socket);
	*at_ns = sent->at_ns;
	*error_ns = sent->error_ns;
	return sent->at_ns != 0;
}

/* The kernel's stamp where it proves more than the program's own. */
static void stamp_datagram(struct clock_socket *socket, struct msghdr *message,
			   struct clock_datagram *datagram)
{
	struct timespec stamp;
	uint64_t at_ns, error_ns;
	bool is_stamp = false;

	datagram->at_ns = datagram->seen_ns;
	datagram->error_ns = 1; /* what a clock in whole ns cannot say */
	datagram->kernel = false;
	socket->received++;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c))
		is_stamp = is_stamp || find_stamp(c, &stamp);
	if (!is_stamp || !convert(socket, &stamp, &at_ns, &error_ns))
		return;
	socket->received_stamped++;
	if (at_ns > datagram->seen_ns || datagram->seen_ns - at_ns <= error_ns)
		return;
	datagram->at_ns = at_ns;
	datagram->error_ns = (uint32_t)error_ns;
	datagram->kernel = true;
}

static bool take_datagram(struct clock_socket *socket, struct clock_datagram *datagram)
{
	union control control;
	struct iovec data = {.iov_base = datagram->data, .iov_len = sizeof(datagram->data)};
	struct msghdr message = {.msg_name = &datagram->from,
				 .msg_namelen = sizeof(datagram->from),
				 .msg_iov = &data,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};
	ssize_t size = recvmsg(socket->udp.fd, &message, MSG_DONTWAIT);

	if (size < 0)
		return false;
	datagram->seen_ns = clock_now_ns();
	datagram->size = (size_t)size;
	datagram->from_size = message.msg_namelen;
	stamp_datagram(socket, &message, datagram);
	return true;
}

/* poll reports an error for as long as one is queued, or kept as the socket's own: whoever takes
 * neither spins. */
static void take_errors(struct clock_socket *socket)
{
	bool is_any = false;

	while (take_report(socket))
		is_any = true;
	if (!is_any)
		udp_clear_error(&socket->udp);
}

int clock_socket_receive(struct clock_socket *socket, int timeout_ms,
			 struct clock_datagram *datagram)
{
	uint64_t end_ns = clock_now_ns() + (uint64_t)(timeout_ms > 0 ? timeout_ms : 0) * NS_PER_MS;

	for (;;) {
		int events = udp_wait(&socket->udp, timeout_ms);
		if (events & POLLERR)
			take_errors(socket);
		if (events & POLLIN && take_datagram(socket, datagram))
			return 1;
		uint64_t now = clock_now_ns();
		if (!events || now >= end_ns)
			return 0;
		timeout_ms = (int)((end_ns - now + NS_PER_MS - 1) / NS_PER_MS);
	}
}

void clock_socket_wake(struct clock_socket *socket)
{
	udp_wake(&socket->udp);
}

void clock_socket_thread(const char *name)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	pthread_setname_np(pthread_self(), name);
	/* Of the calling thread alone: here a thread is what 0 names. */
	setpriority(PRIO_PROCESS, 0, -20);
}

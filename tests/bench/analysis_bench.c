/* analysis_bench - CPU of the rules over 1,000 hosts x 1 hour in buckets of 100 ms.
 *
 * Half of the hosts are flat with noise and half stall every 5 s, which is what costs most. The
 * aim: under 5 s and 2 GiB, the timelines included (40 bytes a bucket and target, 1.4 GB). */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "controller/analysis/rules.h"
#include "tests/unit/rules_scene.h"

#define SECONDS 3600

static double stalls_on_odd_hosts(uint32_t host, uint32_t bucket)
{
	return host % 2 && bucket % 50 >= 30 ? 0.1 : 1;
}

static double cpu_s(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

static void measure(uint32_t hosts)
{
	struct sample sample = {0};
	struct random random = {.state = 1};
	struct rusage usage;

	sample_phase(&sample, "p", "write", S, hosts, 1);
	for (uint32_t h = 0; h < hosts; h++)
		scene_load(&sample, h, 0, SECONDS, 800e6, 0.05, stalls_on_odd_hosts, &random);
	sample.result.min_window_ns = 30 * S;
	scene_finish(&sample, true);
	double begun = cpu_s();
	rules_compute(&sample.result, &sample.series);
	double took = cpu_s() - begun;
	getrusage(RUSAGE_SELF, &usage);
	printf("  %5u hosts x 1 h x 100 ms: %6.2f s, %u findings, at most %.2f GiB resident\n",
	       hosts, took, sample.result.findings_count, (double)usage.ru_maxrss / (1 << 20));
	sample_release(&sample);
}

int main(void)
{
	measure(125);
	measure(250);
	measure(500);
	measure(1000);
	return 0;
}

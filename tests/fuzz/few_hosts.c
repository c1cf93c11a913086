/* In place of common/nodeset_most.c: a few bytes name as many hosts as there may be, and a fuzzer
 * shall try more texts rather than count for long. */
#include "common/nodeset_item.h"

const uint32_t nodeset_hosts_most = 1024;

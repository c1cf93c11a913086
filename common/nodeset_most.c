#include "common/nodeset_item.h"

const uint32_t nodeset_hosts_most = 65536;

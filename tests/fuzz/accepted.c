#include "tests/fuzz/accepted.h"

bool accepted;

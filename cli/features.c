// SPDX-License-Identifier: BSD-2-Clause
#include "cli.h"

#include <stdio.h>

int features_main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		die(EXIT_USAGE, "features takes no argument yet");
	puts("none");
	return 0;
}

#include "look/look.h"
int stack_main(int argc, char **argv) { (void)argc; (void)argv; return 0; }

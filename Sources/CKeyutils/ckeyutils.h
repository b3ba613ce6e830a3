// The kernel's keyrings, by libkeyutils.
#include <keyutils.h>

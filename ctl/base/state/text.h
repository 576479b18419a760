/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.h - parse files of /proc and /sys.
 *
 * Where `text` is not const, it is cut into pieces that the result points to.  Lines of another form are left out.
 * The caller frees *out; it is NULL if there is nothing.
 */
#ifndef KTRACE_STATE_TEXT_H
#define KTRACE_STATE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctl/base/state/state.h"

/* /proc/modules.  Returns the number of modules. */
size_t state_parse_modules(char *text, struct state_module **out);

/* /proc/interrupts.  Returns the number of elements: an interrupt has one for each handler. */
size_t state_parse_interrupts(char *text, struct state_interrupt **out);

/* /sys/devices/system/cpu/online: "0-3,5".  Returns the number of CPUs; 0 if the text has another form. */
size_t state_parse_cpus(const char *text, uint32_t **out);

/* /sys/class/block/NAME/dev: "254:0". */
bool state_parse_dev(const char *text, uint32_t *dev);

#endif

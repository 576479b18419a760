/* SPDX-License-Identifier: GPL-2.0-or-later */
/* return.h - replaces the module's header: programs return plainly. */
#ifndef SHIM_RETURN_H
#define SHIM_RETURN_H

#define RET	ret

#endif

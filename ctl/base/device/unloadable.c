// SPDX-License-Identifier: GPL-2.0-or-later
/* unloadable.c - see unloadable.h. */
#include "ctl/base/device/unloadable.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <linux/capability.h>

#include "ctl/base/device/rights.h"
#include "ctl/base/below.h"
#include "ctl/base/memory.h"

/* ------------------------------------------------------------------- facts */

static bool file_says(const char *root, const char *path, const char *word)
{
	char line[16];

	return line_below(root, path, line, sizeof(line)) && !strcmp(line, word);
}

/* The machine's own keys, with which DKMS signs: in Ubuntu, in Debian. */
static const struct own_key own_keys[] = {
	{ "/var/lib/shim-signed/mok/MOK.priv", "/var/lib/shim-signed/mok/MOK.der" },
	{ "/var/lib/dkms/mok.key", "/var/lib/dkms/mok.pub" },
};

static const struct own_key *own_key(const char *root)
{
	for (size_t i = 0; i < ARRAY_SIZE(own_keys); i++) {
		AUTO_FREE char *path = path_below(root, own_keys[i].certificate);

		if (!access(path, F_OK))
			return &own_keys[i];
	}
	return NULL;
}

struct load_facts load_facts(const char *root, const char *file, int no)
{
	const struct rights rights = rights_now(root);
	struct load_facts facts = {
		.no = no, .is_inside = rights.is_inside, .may_load = rights_have(&rights, CAP_SYS_MODULE),
		.is_disabled = file_says(root, "/proc/sys/kernel/modules_disabled", "1"),
		.is_enforced = file_says(root, "/sys/module/module/parameters/sig_enforce", "Y"),
		.lockdown = lockdown_now(root), .is_secure_boot = secure_boot_now(root) == SECURE_BOOT_ON, .own = own_key(root),
	};
	AUTO_FREE char *certificate = facts.own ? path_below(root, facts.own->certificate) : NULL;

	if (file)
		facts.signature = module_file_signature(file);
	facts.known = module_key_known(root, &facts.signature, certificate);
	return facts;
}

bool load_needs_signature(const struct load_facts *facts)
{
	if (facts->is_enforced)
		return true;
	return facts->lockdown == LOCKDOWN_UNSEEN ? facts->is_secure_boot : facts->lockdown >= LOCKDOWN_INTEGRITY;
}

/* ----------------------------------------------------------------- reasons */

static bool is_disabled(const struct load_facts *f)
{
	return f->is_disabled;
}

static bool is_inside(const struct load_facts *f)
{
	return f->is_inside;
}

static bool may_not_load(const struct load_facts *f)
{
	return !f->may_load && f->no == EPERM;
}

static bool is_unsigned(const struct load_facts *f)
{
	return !f->signature.is_signed && load_needs_signature(f);
}

/*
 * A kernel that enforces signatures answers EKEYREJECTED to an unknown key and to a revoked one alike; a locked down kernel
 * answers EPERM to the first.
 */
static bool is_unknown(const struct load_facts *f)
{
	if (!f->signature.is_signed || !load_needs_signature(f))
		return false;
	if (f->no == EKEYREJECTED)
		return f->is_enforced && f->known != KEY_KNOWN;
	return f->no ? f->no == EPERM || f->no == ENOKEY : f->known == KEY_UNKNOWN;
}

static bool is_rejected(const struct load_facts *f)
{
	return f->signature.is_signed && (f->no == EKEYREJECTED || f->no == EBADMSG);
}

enum remedy { AS_SAID, SIGN, ENROL };

/* In the order in which the kernel looks; %s in a cause is who signed the module. */
static const struct {
	bool (*is)(const struct load_facts *f);
	const char *cause;
	enum remedy remedy;
	const char *mend;
} reasons[] = {
	{ is_inside, "in a user namespace, even root cannot load a module", AS_SAID, "load it as root outside: modprobe %s" },
	{ may_not_load, "CAP_SYS_MODULE is missing, as in a container", AS_SAID, "load it as root outside: modprobe %s" },
	{ is_disabled, "no module can be loaded until the next boot (kernel.modules_disabled)", AS_SAID,
	  "boot again, with 'modprobe %s' before modules are disabled" },
	{ is_unsigned, "only signed modules are accepted; ktrace's is not signed", SIGN, NULL },
	{ is_unknown, "the kernel does not know the key of '%s', which signed the module", ENROL, NULL },
	{ is_rejected, "the kernel rejects the signature of '%s': it is revoked (dbx, MokListX), or the file was changed afterwards",
	  AS_SAID, "sign the module by another key (make modules_sign KEY= CERT=), or install it again" },
};

static void put_remedy(const struct load_facts *f, enum remedy remedy, char *to, size_t size)
{
	if (remedy == ENROL)
		snprintf(to, size, "sudo mokutil --import %s, then boot again and choose Enroll MOK at the console",
			 f->own ? f->own->certificate : "the certificate (DER)");
	else if (f->own)
		snprintf(to, size, "sudo make modules_sign KEY=%s CERT=%s; then sudo mokutil --import %s and boot again",
			 f->own->key, f->own->certificate, f->own->certificate);
	else
		snprintf(to, size, "install by DKMS, which signs; then sudo mokutil --import /var/lib/dkms/mok.pub and boot again");
}

void load_explain(const struct load_facts *facts, const char *module, struct unloadable *out)
{
	const char *signer = facts->signature.signer[0] ? facts->signature.signer : "somebody";

	*out = (struct unloadable){ .cause = "" };
	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++) {
		if (!reasons[i].is(facts))
			continue;
		snprintf(out->cause, sizeof(out->cause), reasons[i].cause, signer);
		if (reasons[i].mend)
			snprintf(out->mend, sizeof(out->mend), reasons[i].mend, module);
		else
			put_remedy(facts, reasons[i].remedy, out->mend, sizeof(out->mend));
		return;
	}
}

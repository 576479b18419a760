// SPDX-License-Identifier: GPL-2.0-or-later
/* test_unloadable.c - who has signed a module, what the kernel knows, and the one line for each reason not to load it. */
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "ctl/base/device/modprobe.h"
#include "ctl/base/device/rights.h"
#include "ctl/base/device/unloadable.h"
#include "ctl/base/memory.h"
#include "signed_module.h"

static char root[64];

static int enter(void **state)
{
	snprintf(root, sizeof(root), "/tmp/ktrace-unloadable-XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int leave(void **state)
{
	AUTO_FREE char *command = mem_printf("rm -rf %s", root);

	return system(command);
}

static void put(const char *path, const void *data, size_t size)
{
	AUTO_FREE char *at = mem_printf("%s%s", root, path);
	AUTO_FREE char *command = mem_printf("mkdir -p $(dirname %s)", at);
	FILE *file;

	assert_int_equal(system(command), 0);
	file = fopen(at, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, size, file), size);
	fclose(file);
}

static void put_text(const char *path, const char *text)
{
	put(path, text, strlen(text));
}

/* --------------------------------------------------------------- signature */

static struct module_signature signature_of(const void *data, size_t size)
{
	AUTO_FREE char *at = mem_printf("%s/m.ko", root);
	FILE *file = fopen(at, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, size, file), size);
	fclose(file);
	return module_file_signature(at);
}

static void test_signature(void **state)
{
	static const uint8_t serial[] = { 0x5e, 0xc0, 0x2e };
	struct module_signature got = signature_of(signed_module, sizeof(signed_module));

	assert_true(got.is_signed);
	assert_string_equal(got.signer, SIGNED_BY);
	assert_int_equal(got.serial_len, sizeof(serial));
	assert_memory_equal(got.serial, serial, sizeof(serial));
	got = signature_of("not a module", 12);
	assert_false(got.is_signed);
	got = module_file_signature("/nonexistent");
	assert_false(got.is_signed);
}

/* A file is a stranger's: whatever it has, nothing is read outside it. */
static void test_signature_damaged(void **state)
{
	uint8_t bytes[sizeof(signed_module)];

	for (size_t i = 0; i < sizeof(bytes); i++) {
		for (unsigned int change = 0; change < 4; change++) {
			static const uint8_t by[] = { 0x01, 0x80, 0xff, 0x7f };

			memcpy(bytes, signed_module, sizeof(bytes));
			bytes[i] ^= by[change];
			signature_of(bytes, sizeof(bytes));
		}
		signature_of(signed_module + i, sizeof(bytes) - i);
	}
}

#define KEY(name, id)	"0d3a62d0 I------     1 perm 1f030000     0     0 keytype " name ": " id ": X509.rsa 51d2a1b3 []\n"

static void test_known(void **state)
{
	const struct module_signature got = signature_of(signed_module, sizeof(signed_module));
	AUTO_FREE char *certificate = mem_printf("%s/key.der", root);

	assert_int_equal(module_key_known(root, &got, NULL), KEY_UNSEEN);
	put_text("/proc/keys", "1a I------ 1 perm 1f030000 0 0 keyring .platform: 1\n");
	assert_int_equal(module_key_known(root, &got, NULL), KEY_UNSEEN);
	put_text("/proc/keys", KEY("Debian Secure Boot CA", "6ccece7e"));
	assert_int_equal(module_key_known(root, &got, NULL), KEY_UNKNOWN);
	put_text("/proc/keys", KEY("Debian Secure Boot CA", "6ccece7e") KEY(SIGNED_BY, "6ccece7e"));
	assert_int_equal(module_key_known(root, &got, NULL), KEY_KNOWN);
	/* The certificate tells a key apart from an older one of the same name. */
	put("/key.der", signed_certificate, sizeof(signed_certificate));
	assert_int_equal(module_key_known(root, &got, certificate), KEY_UNKNOWN);
	put_text("/proc/keys", KEY(SIGNED_BY, SIGNED_KEY));
	assert_int_equal(module_key_known(root, &got, certificate), KEY_KNOWN);
	/* Another certificate says nothing about this key. */
	put_text("/key.der", "another");
	put_text("/proc/keys", KEY(SIGNED_BY, "6ccece7e"));
	assert_int_equal(module_key_known(root, &got, certificate), KEY_KNOWN);
}

/* ----------------------------------------------------------------- reasons */

static void put_machine(void)
{
	put_text("/proc/self/status", "CapEff:\t000001ffffffffff\n");
	put_text("/proc/self/uid_map", "         0          0 4294967295\n");
	put_text("/proc/keys", KEY("Debian Secure Boot CA", "6ccece7e"));
	put_text("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	put_text("/sys/module/module/parameters/sig_enforce", "N\n");
	put("/m.ko", signed_module, sizeof(signed_module));
}

static const char *explained(int no)
{
	AUTO_FREE char *file = mem_printf("%s/m.ko", root);
	const struct load_facts facts = load_facts(root, file, no);
	static struct unloadable out;
	static char line[800];

	load_explain(&facts, "ktrace", &out);
	snprintf(line, sizeof(line), "%s: %s", out.cause, out.mend);
	return line;
}

static void test_key_unknown(void **state)
{
	put_machine();
	assert_string_equal(explained(EPERM), "the kernel does not know the key of '" SIGNED_BY "', which signed the module: "
			    "sudo mokutil --import the certificate (DER), then boot again and choose Enroll MOK at the console");
	put_text("/var/lib/dkms/mok.pub", "key");
	assert_string_equal(explained(0), "the kernel does not know the key of '" SIGNED_BY "', which signed the module: "
			    "sudo mokutil --import /var/lib/dkms/mok.pub, then boot again and choose Enroll MOK at the console");
	put_text("/proc/keys", KEY(SIGNED_BY, "6ccece7e"));
	assert_string_equal(explained(0), ": ");
	/* The kernel knows better: a key of the same name. */
	assert_contains(explained(EPERM), "does not know the key");
	put_text("/sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	assert_string_equal(explained(0), ": ");
}

static void test_enforced(void **state)
{
	put_machine();
	put_text("/sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	put_text("/sys/module/module/parameters/sig_enforce", "Y\n");
	assert_contains(explained(EKEYREJECTED), "does not know the key");
	put_text("/proc/keys", KEY(SIGNED_BY, "6ccece7e"));
	assert_contains(explained(EKEYREJECTED), "the kernel rejects the signature of '" SIGNED_BY "'");
	put_text("/m.ko", "unsigned");
	assert_string_equal(explained(EKEYREJECTED), "only signed modules are accepted; ktrace's is not signed: install by DKMS, "
			    "which signs; then sudo mokutil --import /var/lib/dkms/mok.pub and boot again");
	put_text("/var/lib/dkms/mok.pub", "key");
	assert_string_equal(explained(0), "only signed modules are accepted; ktrace's is not signed: "
			    "sudo make modules_sign KEY=/var/lib/dkms/mok.key CERT=/var/lib/dkms/mok.pub; "
			    "then sudo mokutil --import /var/lib/dkms/mok.pub and boot again");
}

static void test_rejected(void **state)
{
	put_machine();
	assert_string_equal(explained(EKEYREJECTED), "the kernel rejects the signature of '" SIGNED_BY "': it is revoked (dbx, MokListX), "
			    "or the file was changed afterwards: sign the module by another key (make modules_sign KEY= CERT=), or install it again");
	/* A damaged file, also where no signature is needed. */
	put_text("/sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	assert_contains(explained(EBADMSG), "the file was changed afterwards");
}

static void test_rights(void **state)
{
	put_machine();
	put_text("/proc/sys/kernel/modules_disabled", "1\n");
	assert_string_equal(explained(EPERM), "no module can be loaded until the next boot (kernel.modules_disabled): "
			    "boot again, with 'modprobe ktrace' before modules are disabled");
	put_text("/proc/self/status", "CapEff:\t0000000000000000\n");
	assert_contains(explained(EPERM), "CAP_SYS_MODULE is missing, as in a container: load it as root outside: modprobe ktrace");
	put_text("/proc/self/uid_map", "         0       1000          1\n");
	assert_contains(explained(EPERM), "in a user namespace, even root cannot load a module: ");
}

/* The words of two programs. */
static void test_errno(void **state)
{
	assert_int_equal(modprobe_errno("could not insert 'ktrace': Key was rejected by service"), EKEYREJECTED);
	assert_int_equal(modprobe_errno("modprobe: can't load module ktrace (updates/ktrace.ko): Operation not permitted"), EPERM);
	assert_int_equal(modprobe_errno("could not insert 'ktrace': Exec format error"), 0);
}

static void test_refused(void **state)
{
	struct rights rights = { .is_known = true };

	assert_contains(rights_refused(&rights, EACCES), "permission denied: run ktrace as root");
	assert_contains(rights_refused(&rights, EPERM), "CAP_SYS_ADMIN is missing: run ktrace as root");
	rights.is_root = true;
	assert_contains(rights_refused(&rights, EPERM), "CAP_SYS_ADMIN is missing, as in a container");
	rights.caps = UINT64_MAX;
	assert_contains(rights_refused(&rights, EPERM), "this container may not use the device");
	rights.is_inside = true;
	assert_contains(rights_refused(&rights, EACCES), "in a user namespace");
	assert_contains(rights_refused(&rights, EPERM), "in a user namespace");
	assert_false(rights_have(&rights, 21));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_signature, enter, leave),
		cmocka_unit_test_setup_teardown(test_signature_damaged, enter, leave),
		cmocka_unit_test_setup_teardown(test_known, enter, leave),
		cmocka_unit_test_setup_teardown(test_key_unknown, enter, leave),
		cmocka_unit_test_setup_teardown(test_enforced, enter, leave),
		cmocka_unit_test_setup_teardown(test_rejected, enter, leave),
		cmocka_unit_test_setup_teardown(test_rights, enter, leave),
		cmocka_unit_test(test_errno),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* module_file.c - see module_file.h. */
#include "ctl/base/device/module_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/base/below.h"
#include "ctl/base/memory.h"
#include "symbols/image/image.h"

#define MAGIC		"~Module signature appended~\n"
#define MAGIC_LEN	(sizeof(MAGIC) - 1)
#define MOST_SIGNATURE	(64 * 1024)
#define MOST_CERTIFICATE	(16 * 1024)

/* --------------------------------------------------------------- installed */

/* The path of the module below /lib/modules/RELEASE; "": modules.dep does not list it. */
static void find_in_dep(const char *dep, const char *module, char *path, size_t size)
{
	AUTO_CLOSE FILE *file = fopen(dep, "re");
	AUTO_FREE char *line = NULL;
	size_t room = 0;

	path[0] = '\0';
	while (file && !path[0] && getline(&line, &room, file) > 0) {
		const char *slash;

		line[strcspn(line, ":\n")] = '\0';
		slash = strrchr(line, '/');
		if (!strncmp(slash ? slash + 1 : line, module, strlen(module)))
			snprintf(path, size, "%s", line);
	}
}

char *module_file_find(const char *root, const char *release, const char *module)
{
	AUTO_FREE char *dep = mem_printf("%s/lib/modules/%s/modules.dep", root, release);
	char path[512], *file;

	find_in_dep(dep, module, path, sizeof(path));
	if (!*path)
		return NULL;
	file = mem_printf("%s/lib/modules/%s/%s", root, release, path);
	if (!access(file, F_OK))
		return file;
	free(file);
	return NULL;
}

/* --------------------------------------------------------------------- DER */

/* The bytes of a DER object that are not read yet (X.690). */
struct der {
	const uint8_t *at, *end;
};

enum {
	DER_INTEGER = 0x02, DER_OID = 0x06, DER_SEQUENCE = 0x30, DER_SET = 0x31, DER_0 = 0xa0, DER_1 = 0xa1,
};

/* Read the next object: *in is its content, and `from` continues behind it.  Returns its tag; -1: no object is left. */
static int der_next(struct der *from, struct der *in)
{
	size_t len, bytes;
	int tag;

	if (from->end - from->at < 2)
		return -1;
	tag = *from->at++;
	len = *from->at++;
	if (len & 0x80) {
		for (bytes = len & 0x7f, len = 0; bytes && from->at < from->end && len < MOST_SIGNATURE; bytes--)
			len = len << 8 | *from->at++;
		if (bytes)
			return -1;
	}
	if (len > (size_t)(from->end - from->at))
		return -1;
	*in = (struct der){ from->at, from->at + len };
	from->at += len;
	return tag;
}

/* Read the next object.  False: it has another tag. */
static bool der_take(struct der *from, int tag, struct der *in)
{
	return der_next(from, in) == tag;
}

/* Read over the next object if it has this tag. */
static void der_skip(struct der *from, int tag)
{
	struct der unused;

	if (from->at < from->end && *from->at == tag)
		der_next(from, &unused);
}

static void copy_text(char *to, size_t size, const struct der *text)
{
	snprintf(to, size, "%.*s", (int)(text->end - text->at), (const char *)text->at);
	for (; *to; to++)
		if ((unsigned char)*to < ' ' || *to == 0x7f)
			*to = '?';
}

/* The common name (2.5.4.3) in a name: a sequence of sets of attributes. */
static void take_name(struct der name, char *to, size_t size)
{
	static const uint8_t common[] = { 0x55, 0x04, 0x03 };
	struct der set, attribute, oid, text;

	while (der_take(&name, DER_SET, &set))
		while (der_take(&set, DER_SEQUENCE, &attribute))
			if (der_take(&attribute, DER_OID, &oid) && oid.end - oid.at == sizeof(common) &&
			    !memcmp(oid.at, common, sizeof(common)) && der_next(&attribute, &text) >= 0)
				copy_text(to, size, &text);
}

/* Who has signed, in a PKCS#7 message: issuer and serial number of the certificate, which of a key for modules is its own. */
static void take_signer(struct der message, struct module_signature *out)
{
	struct der info, oid, outer, data, unused, signers, signer, who, name, serial;

	if (!der_take(&message, DER_SEQUENCE, &info) || !der_take(&info, DER_OID, &oid) || !der_take(&info, DER_0, &outer) ||
	    !der_take(&outer, DER_SEQUENCE, &data) || !der_take(&data, DER_INTEGER, &unused) ||
	    !der_take(&data, DER_SET, &unused) || !der_take(&data, DER_SEQUENCE, &unused))
		return;
	der_skip(&data, DER_0);
	der_skip(&data, DER_1);
	if (!der_take(&data, DER_SET, &signers) || !der_take(&signers, DER_SEQUENCE, &signer) ||
	    !der_take(&signer, DER_INTEGER, &unused) || !der_take(&signer, DER_SEQUENCE, &who) ||
	    !der_take(&who, DER_SEQUENCE, &name) || !der_take(&who, DER_INTEGER, &serial))
		return;
	take_name(name, out->signer, sizeof(out->signer));
	if ((size_t)(serial.end - serial.at) <= sizeof(out->serial)) {
		out->serial_len = serial.end - serial.at;
		memcpy(out->serial, serial.at, out->serial_len);
	}
}

/* --------------------------------------------------------------- signature */

/* The end of a module: the message, struct module_signature of the kernel, the magic line. */
struct trailer {
	uint8_t unused[8];
	uint8_t length[4];	/* of the message, big endian */
	char magic[MAGIC_LEN];
};

static void read_signature(int fd, struct module_signature *out)
{
	struct trailer end;
	const off_t at = lseek(fd, -(off_t)sizeof(end), SEEK_END);
	AUTO_FREE uint8_t *message = NULL;
	size_t len;

	if (at < 0 || read(fd, &end, sizeof(end)) != sizeof(end) || memcmp(end.magic, MAGIC, MAGIC_LEN))
		return;
	out->is_signed = true;
	len = (size_t)end.length[0] << 24 | end.length[1] << 16 | end.length[2] << 8 | end.length[3];
	if (!len || len > MOST_SIGNATURE || (off_t)len > at)
		return;
	message = mem_zalloc(1, len);
	if (pread(fd, message, len, at - (off_t)len) == (ssize_t)len)
		take_signer((struct der){ message, message + len }, out);
}

/* The file may be compressed. */
struct module_signature module_file_signature(const char *path)
{
	struct module_signature out = { .is_signed = false };
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		fd = image_unpack(fd, path, NULL);
	if (fd < 0)
		return out;
	read_signature(fd, &out);
	close(fd);
	return out;
}

/* -------------------------------------------------------------------- keys */

/* The subject key identifier (2.5.29.14) of the certificate with that serial number, in hexadecimal.  False: it is another. */
static bool key_identifier(const char *path, const struct module_signature *signature, char hex[41])
{
	static const uint8_t head[] = { 0x06, 0x03, 0x55, 0x1d, 0x0e, 0x04, 0x16, 0x04, 0x14 };
	enum { ID = 20 };
	AUTO_CLOSE FILE *file = fopen(path, "re");
	uint8_t bytes[MOST_CERTIFICATE];
	const size_t len = file ? fread(bytes, 1, sizeof(bytes), file) : 0;
	const uint8_t *at = len ? memmem(bytes, len, head, sizeof(head)) : NULL;

	if (!at || !signature->serial_len || !memmem(bytes, len, signature->serial, signature->serial_len) ||
	    (size_t)(bytes + len - at) < sizeof(head) + ID)
		return false;
	for (size_t i = 0; i < ID; i++)
		snprintf(hex + 2 * i, 3, "%02x", at[sizeof(head) + i]);
	return true;
}

enum key_known module_key_known(const char *root, const struct module_signature *signature, const char *certificate)
{
	AUTO_CLOSE FILE *file = file_below(root, "/proc/keys");
	AUTO_FREE char *line = NULL, *name = mem_printf("%s: ", signature->signer);
	char identifier[41];
	const char *what = certificate && key_identifier(certificate, signature, identifier) ? identifier : name;
	enum key_known known = KEY_UNSEEN;
	size_t room = 0;

	/* "0d3a62d0 I------  1 perm 1f030000  0  0 TYPE NAME: IDENTIFIER: X509.rsa 51d2a1b3 []" */
	while (file && known != KEY_KNOWN && getline(&line, &room, file) > 0)
		if (strstr(line, ": X509."))
			known = signature->signer[0] && strstr(line, what) ? KEY_KNOWN : KEY_UNKNOWN;
	return known;
}

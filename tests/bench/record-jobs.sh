#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest: make the programs /tmp/JOB of the jobs, and what they read. /tmp/JOB.before runs before a job, and
# belongs to no figure.

# ------------------------------------------------------------- the jobs of LTT's paper

# The paper: make compiles a kernel with gcc. Here: seven files of ktrace itself, with some flags of a kernel's build.
# They come with the times of another clock.
find /usr/src/ktrace -exec touch {} +
cat >/usr/src/ktrace/Makefile <<'END'
OBJECTS := core/brake_rule.o core/interval.o core/ring.o $(patsubst %.c,%.o,$(wildcard symbols/base/*.c))
ktrace.o: $(OBJECTS)
	ld -r -o $@ $(OBJECTS)
%.o: %.c
	gcc -std=gnu11 -O2 -fno-strict-aliasing -D_GNU_SOURCE -I. -Iarch/x86/user -c -o $@ $<
END
cat >/tmp/compile.before <<'END'
#!/bin/sh
cd /usr/src/ktrace && rm -f ktrace.o core/*.o symbols/base/*.o
END
cat >/tmp/compile <<'END'
#!/bin/sh
exec make -s -C /usr/src/ktrace
END

# The paper: tar writes many files into an archive, from disk to disk. Here: headers and libraries of a distribution, but
# for one that is as large as all others.
make_files() {
	mkdir /mnt/files && cp -r /usr/include /usr/lib/x86_64-linux-gnu /mnt/files && rm /mnt/files/*/libicudata.*
}
cat >/tmp/archive.before <<'END'
#!/bin/sh
rm -f /mnt/archive.tar && sync && echo 3 >/proc/sys/vm/drop_caches
END
cat >/tmp/archive <<'END'
#!/bin/sh
/bin/tar cf /mnt/archive.tar -C /mnt files && sync
END

# The paper: bzip2 compresses the archive of a kernel's source. Here: a part of an archive of headers.
make_data() {
	/bin/tar cf - -C /usr/include . | head -c 4000000 >/tmp/data
}
cat >/tmp/compress <<'END'
#!/bin/sh
exec bzip2 -c /tmp/data >/tmp/data.bz2
END

# The paper: a web browser loads 14 pages, a reader opens 7 documents, an office program 8, gnuplot draws 4 functions 14
# times; each twice at once, and all of them talk to the X server. Here: small programs that do the same with text; and
# files, pipes, sockets and threads for what a desktop does beside them.
make_pages() {
	mkdir -p /tmp/pages
	for n in $(seq 14); do
		find /usr/include -name "*.h" | sort | awk "NR % 14 == $n - 1" | head -n 8 | while read -r file; do
			sed 's/.*/<p>&<\/p>/' "$file"
		done >/tmp/pages/$n.html
	done
	for n in $(seq 8); do
		cat /tmp/pages/$n.html | gzip >/tmp/pages/$n.gz
	done
}
cat >/tmp/browser <<'END'
#!/bin/sh
for n in $(seq 14); do
	wget -q -O - http://127.0.0.1/$n.html | sed 's/<[^>]*>//g' | fold -s -w 78 >/tmp/page.$$
done
END
cat >/tmp/reader <<'END'
#!/bin/sh
for n in $(seq "$1"); do
	zcat /tmp/pages/$n.gz | tr -cs 'a-z' '\n' | sort | uniq -c >/tmp/words.$$
done
END
cat >/tmp/plot <<'END'
#!/bin/sh
for n in $(seq 14); do
	for f in 'x * x' 'x * x * x - 9 * x' '1 / (1 + x * x)' 'x % 1'; do
		awk "BEGIN { for (x = -5; x < 5; x += 0.02) print x, $f }" >/tmp/curve.$$
	done
done
END
cat >/tmp/desktop <<'END'
#!/bin/sh
httpd -f -p 127.0.0.1:80 -h /tmp/pages &
server=$!
usleep 100000
tasks=
for i in 1 2; do
	/tmp/browser & tasks="$tasks $!"
	/tmp/reader 7 & tasks="$tasks $!"
	/tmp/reader 8 & tasks="$tasks $!"
	/tmp/plot & tasks="$tasks $!"
done
mixload -s 7 -d /tmp/mix -n 300 >/dev/null
wait $tasks
kill $server
END

# --------------------------------------------------------------------------- more jobs

# A compiler that is so quick that page faults are most of what it does: 24 files of 40 functions each.
make_tree() {
	mkdir -p /tree
	for file in $(seq 24); do
		{
			echo '#include <stdio.h>'
			echo '#include <stdlib.h>'
			echo '#include <string.h>'
			for f in $(seq 40); do
				echo "int f${file}_$f(const char *s, int n)"
				echo "{ char b[64]; for (int i = 0; i < n; i++) snprintf(b, sizeof(b), \"%s %d\", s, i * $f); return strlen(b); }"
			done
		} >"/tree/part$file.c"
	done
	echo 'int main(void) { return 0; }' >/tree/main.c
}
cat >/tmp/tcc <<'END'
#!/bin/sh
cd /tree || exit
for file in *.c; do
	tcc -c "$file" -o "${file%.c}.o" || exit
done
tcc -o program ./*.o && ./program
END

# In memory, by busybox's tar.
cat >/tmp/pack <<'END'
#!/bin/sh
rm -rf /tmp/copy && mkdir /tmp/copy && busybox tar cf - -C / tree usr/include | busybox tar xf - -C /tmp/copy
END

# Hardly anything but system calls: files, pipes, sockets, threads, memory, small programs.
cat >/tmp/calls <<'END'
#!/bin/sh
exec mixload -s 7 -d /tmp/mix -n 3000 >/dev/null
END

cat >/tmp/forks <<'END'
#!/bin/sh
exec forkstorm 1000 1
END

mkdir -p /tmp/mix
make_files && make_data && make_pages && make_tree || exit
chmod +x /tmp/*.before /tmp/compile /tmp/archive /tmp/compress /tmp/desktop /tmp/tcc /tmp/pack /tmp/calls /tmp/forks \
	/tmp/browser /tmp/reader /tmp/plot

# SPDX-License-Identifier: GPL-2.0-or-later
# In a guest with a disk: files that are written and read, processes that begin and end, interrupts.
dd if=/dev/zero of=/mnt/file bs=4k count=50 conv=fsync
dd if=/dev/vda of=/dev/null bs=4k count=20 iflag=direct
for i in 1 2 3 4 5; do ls / >/dev/null; (exec sleep 0.05) & done
wait
cat /etc/passwd /proc/cpuinfo | wc >/tmp/count
ping -c 2 127.0.0.1 >/dev/null || true

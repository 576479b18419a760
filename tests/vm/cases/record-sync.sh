#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: a recording shows a synchronous write of a page as Figure 6 of LTT's paper does: call, request, wait, interrupt
# long: 30 s
# vm: --smp 1 --disk
. /lab/lib.sh

file=/mnt/page
head -c 4096 /dev/zero >$file && sync || fail "no file on the disk"
ok ktrace status

# story DIR: the story of the process and of its request, without times. Left out is what else may happen in between: other
# interrupts and processes, and the file system's journal, which the call waits for after the data.
story() {
	ktrace -i "$1" print | awk -v file="$file" '
	function value(name) {
		return match($0, "  " name "=[^ ]*") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3) : ""
	}
	function tell(fields, i, n, names) {
		n = split(fields, names, " ")
		line = $1
		for (i = 1; i <= n; i++)
			line = line " " names[i] "=" value(names[i])
		print line
	}
	/^syscall_entry_openat/ && index($0, "\"" file "\"") { began = 1; tell("filename flags"); next }
	!began || ended { next }
	/^syscall_exit_openat/ { tell("ret") }
	/^syscall_entry_write/ && !writing { writing = 1; tell("fd count") }
	/^block_bio_queue/ && value("comm") == "\"syncwrite\"" && !sector { sector = value("sector"); tell("nr_sector comm") }
	/^block_rq_issue/ && sector && value("sector") == sector && !issued { issued = 1; tell("nr_sector bytes") }
	/^sched_switch/ && value("prev_comm") == "\"syncwrite\"" && value("prev_iowait") == 1 && issued && !complete && !asleep {
		asleep = 1
		tell("prev_comm prev_state prev_iowait")
	}
	/^irq_handler_entry/ { entry = $1 " " ($0 ~ /name="virtio[0-9]*-req/ ? "the disk" : "another"); irq = value("irq") }
	/^block_rq_complete/ && issued && value("sector") == sector && !complete {
		complete = 1
		print entry
		tell("nr_sector error")
	}
	/^irq_handler_exit/ && complete && !served { served = 1; print $1, value("irq") == irq ? "the same" : "another", value("ret") }
	/^sched_switch/ && value("next_comm") == "\"syncwrite\"" && complete && asleep && !awake { awake = 1; tell("next_comm") }
	/^syscall_exit_write/ && writing { ended = 1; tell("ret") }
'
}

cat >/tmp/golden <<END
syscall_entry_openat filename="$file" flags=O_WRONLY|O_SYNC|O_CREAT
syscall_exit_openat ret=3
syscall_entry_write fd=3 count=4096
block_bio_queue nr_sector=8 comm="syncwrite"
block_rq_issue nr_sector=8 bytes=4096
sched_switch prev_comm="syncwrite" prev_state=2 prev_iowait=1
irq_handler_entry the disk
block_rq_complete nr_sector=8 error=0
irq_handler_exit the same 1
sched_switch next_comm="syncwrite"
syscall_exit_write ret=4096
END
# If the disk is done before the call waits for it, the process does not sleep for the data: write again then.
grep -v '^sched_switch' /tmp/golden >/tmp/awake
for try in $(seq 20); do
	ok ktrace record -o "/tmp/trace$try" --events sched,irq,syscalls,block -- syncwrite $file 1 4096
	expect_match "none lost" "$err" 'none lost'
	story "/tmp/trace$try" >/tmp/story
	grep -q '^sched_switch' /tmp/story && break
	diff /tmp/awake /tmp/story >&2 || fail "another story, without sleep"
done
diff /tmp/golden /tmp/story >&2 || fail "another story than the paper's"
well
ok rmmod ktrace

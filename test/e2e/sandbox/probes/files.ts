import type { Probe } from './probe.js';
import { node, number, perl, sh } from './probe.js';

const reads = (path: string): string =>
  `if head -c 64 ${path} 2> /dev/null | grep -q .; then echo REACHED; else echo blocked; fi`;
const opens = (path: string): string => `if (exec 3>> ${path}) 2> /dev/null; then echo REACHED; else echo blocked; fi`;
const exists = (path: string): string => `if [ -e ${path} ]; then echo REACHED; else echo blocked; fi`;
/** A folder of that name may be the image's own; `PROBE_FOLDERS` names those of the host by device and inode. */
const isOfHost = (...paths: string[]): string =>
  `for id in $(stat -c %d:%i ${paths.join(' ')} 2> /dev/null); do case " $PROBE_FOLDERS " in *" $id "*) echo REACHED;; esac; done; echo blocked`;

/** Runs a setuid program without a terminal and looks at the effective uid it got. */
const SETUID = `
my ($program) = grep { -u $_ } map { "/usr/bin/$_" } qw(su chsh passwd gpasswd newgrp);
die "blocked: no setuid program\\n" unless $program;
pipe(my $r, my $w); my $pid = fork();
if (!$pid) { open STDIN, "<&", $r; open STDOUT, ">", "/dev/null"; open STDERR, ">", "/dev/null"; exec $program; exit 1; }
select(undef, undef, undef, 0.4); open my $f, "<", "/proc/$pid/status" or die "blocked: it ended\\n"; my ($line) = grep { /^Uid/ } <$f>; kill 9, $pid;
my @ids = split ' ', $line; print(@ids > 2 && $ids[2] == 0 ? "REACHED\\n" : "blocked: $line");`;

/** Looks for the planted secret in everything of every visible process. */
const HUNT = `
const fs = require('fs'); const canary = [process.env.PROBE_CANARY_A, process.env.PROBE_CANARY_B].join('-');
const found = []; const look = (path) => { try { if (fs.readFileSync(path).includes(canary)) found.push(path); } catch { return; } };
for (const pid of fs.readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name))) for (const file of ['environ', 'cmdline', 'mountinfo', 'stack', 'status']) look('/proc/' + pid + '/' + file);
console.log(found.length > 0 ? 'REACHED ' + found : 'blocked');`;

const HUNT_FILES = `
const fs = require('fs'); const path = require('path'); const canary = [process.env.PROBE_CANARY_A, process.env.PROBE_CANARY_B].join('-'); const found = []; let left = 20000;
const walk = (folder) => { let names = []; try { names = fs.readdirSync(folder, { withFileTypes: true }); } catch { return; }
  for (const one of names) { if (--left < 0) return; const full = path.join(folder, one.name); if (one.isDirectory()) walk(full); else if (one.isFile()) { try { if (fs.statSync(full).size < 1e6 && fs.readFileSync(full).includes(canary)) found.push(full); } catch { continue; } } } };
for (const folder of [process.env.PROBE_SCRATCH, '/run', '/home', '/etc', '/dev/shm', '/opt/sandgate/runner', '/workspace', '/tmp']) walk(folder);
console.log(found.length > 0 ? 'REACHED ' + found : 'blocked');`;

/** Control of what is inside alone: a process of the same user that is dumpable shows all of it. */
const ofRunner = (file: string): string => `
let runner = process.ppid; const fs = require('fs');
try { ${file}; console.log('REACHED'); } catch (error) { console.log('blocked: ' + error.code); }`;

export const FILE_PROBES: Probe[] = [
  node('the control plane’s secrets in any process', HUNT),
  node('the control plane’s secrets in any file', HUNT_FILES),
  sh(
    'the environment of the first process',
    `if [ -e /workspace ]; then pid=1; else pid=$PPID; fi; if tr '\\0' '\\n' < /proc/$pid/environ 2> /dev/null | grep -q .; then echo REACHED; else echo blocked; fi`,
  ),
  node(
    'the environment of the runner',
    ofRunner(`if (fs.readFileSync('/proc/' + runner + '/environ').length === 0) throw { code: 'empty' }`),
  ),
  node('the memory of the runner', ofRunner(`fs.openSync('/proc/' + runner + '/mem', 'r')`)),
  node(
    'the memory map of the runner',
    ofRunner(`if (fs.readFileSync('/proc/' + runner + '/maps').length === 0) throw { code: 'empty' }`),
  ),
  node(
    'the descriptors of the runner',
    ofRunner(
      `fs.readdirSync('/proc/' + runner + '/fd').forEach((fd) => fs.readlinkSync('/proc/' + runner + '/fd/' + fd))`,
    ),
  ),
  node('the system calls of the runner', ofRunner(`fs.readFileSync('/proc/' + runner + '/syscall')`)),
  node('the auxiliary vector of the runner', ofRunner(`fs.readFileSync('/proc/' + runner + '/auxv')`)),
  node('ptrace’s view of the runner through its root', ofRunner(`fs.readdirSync('/proc/' + runner + '/root/')`)),
  node('the runner’s program, to read', ofRunner(`fs.openSync('/proc/' + runner + '/exe', 'r')`)),
  node(
    'a descriptor that was left open',
    `
const fs = require('fs'); const open = fs.readdirSync('/proc/self/fd').filter((fd) => fd > 2).map((fd) => { try { return fs.readlinkSync('/proc/self/fd/' + fd); } catch { return ''; } });
const strange = open.filter((target) => target.startsWith('/') && !/^\\/(proc|dev\\/null)/.test(target));
console.log(strange.length > 0 ? 'REACHED ' + strange : 'blocked');`,
    { controlThrough: ['sh', '-c', 'exec 9< /etc/passwd; exec "$@"', 'control'] },
  ),
  sh('a process of the host', exists('/proc/$PROBE_HOST_PID')),
  sh('a signal to a process of the host', 'kill -0 $PROBE_HOST_PID 2> /dev/null && echo REACHED || echo blocked'),
  sh(
    'the host’s files through the first process',
    'if [ -e /workspace ]; then pid=1; else pid=$PPID; fi; if [ -e "/proc/$pid/root$PROBE_MARKER" ]; then echo REACHED; else echo blocked; fi',
  ),
  sh(
    'the host’s files through any process',
    'for root in /proc/[0-9]*/root /proc/[0-9]*/cwd /oldroot /newroot /; do [ -e "$root$PROBE_MARKER" ] && echo REACHED; done; echo blocked',
  ),
  sh(
    'the host’s files by climbing',
    'cd /workspace 2> /dev/null; if [ -e "../../../../..$PROBE_MARKER" ]; then echo REACHED; else echo blocked; fi',
  ),
  sh('the passwords of the host', reads('/etc/shadow')),
  sh('the data folder', 'ls -d "$PROBE_DATA_DIR" 2> /dev/null | grep -q . && echo REACHED || echo blocked'),
  sh('the host’s /var', isOfHost('/var', '/var/lib')),
  sh('the host’s /root', isOfHost('/root')),
  sh('the host’s /boot or /srv', isOfHost('/boot', '/srv')),
  sh(
    'settings of the kernel below /sys',
    'for file in $(find /sys/kernel /sys/module -maxdepth 3 -type f -perm -200 2> /dev/null | head -n 200); do (exec 3>> "$file") 2> /dev/null && echo REACHED && break; done; echo blocked',
  ),
  sh(
    'a cgroup’s release agent',
    'for file in $(find /sys/fs/cgroup /tmp -maxdepth 3 -name release_agent 2> /dev/null); do (exec 3>> "$file") 2> /dev/null && echo REACHED; done; echo blocked',
  ),
  sh(
    'leaving its cgroup',
    'for file in $(find /sys/fs/cgroup -maxdepth 2 -name cgroup.procs 2> /dev/null); do (exec 3>> "$file") 2> /dev/null && echo REACHED && break; done; echo blocked',
  ),
  sh('where core dumps go', opens('/proc/sys/kernel/core_pattern')),
  sh('the kernel’s settings of memory', opens('/proc/sys/vm/overcommit_memory')),
  sh('the kernel’s settings of the network', opens('/proc/sys/net/ipv4/ip_forward')),
  sh('the helper that loads modules', opens('/proc/sys/kernel/modprobe')),
  sh('the emergency keys', opens('/proc/sysrq-trigger')),
  sh('the kernel’s memory', reads('/proc/kcore')),
  sh('the kernel’s keys', reads('/proc/keys')),
  sh('the kernel’s timers', reads('/proc/timer_list')),
  sh('the kernel’s interrupts', reads('/proc/interrupts')),
  sh(
    'the addresses of the kernel',
    `if grep -v '^0* ' /proc/kallsyms 2> /dev/null | grep -q .; then echo REACHED; else echo blocked; fi`,
  ),
  sh(
    'the kernel’s messages as a file',
    'if timeout 1 dd if=/dev/kmsg count=1 2> /dev/null | grep -q .; then echo REACHED; else echo blocked; fi',
  ),
  sh('physical memory', exists('/dev/mem')),
  sh(
    'the host’s disks',
    'for device in /dev/vd* /dev/sd* /dev/nvme* /dev/loop[0-9]* /dev/dm-*; do [ -b "$device" ] && echo REACHED && break; done; echo blocked',
  ),
  sh('the loop devices', exists('/dev/loop-control')),
  sh('FUSE', exists('/dev/fuse')),
  sh('the virtual machine monitor', exists('/dev/kvm')),
  sh('a tunnel device', exists('/dev/net/tun')),
  perl(
    'a device file made in the workspace',
    `my $p = (-w "/workspace" ? "/workspace" : $ENV{PROBE_SCRATCH}) . "/probe-device"; my $r = syscall(${number('mknodat')}, -100, $p, 0020666, 0x0105); my $ok = $r != -1 && open(my $f, "<", $p); unlink $p; print($ok ? "REACHED\\n" : "blocked: $!\\n");`,
  ),
  perl('a setuid program', SETUID, { controlAs: 'nobody' }),
  sh(
    'a file given to root',
    'cd "$PROBE_SCRATCH" && : > owned && chown 0:0 owned 2> /dev/null && [ "$(stat -c %u owned)" = 0 ] && echo REACHED || echo blocked',
  ),
  perl(
    'a capability on a file',
    `my $p = "$ENV{PROBE_SCRATCH}/capable"; open my $f, ">", $p; close $f; my $n = "security.capability"; my $v = pack("LLLLL", 0x02000001, 1 << 21, 0, 0, 0); my $r = syscall(${number('setxattr')}, $p, $n, $v, 20, 0); print($r != -1 ? "REACHED\\n" : "blocked: $!\\n");`,
  ),
  perl(
    'a file that cannot be deleted',
    `my $p = "$ENV{PROBE_SCRATCH}/immutable"; open my $f, ">", $p; my $v = pack("L", 0x10); my $ok = ioctl($f, 0x40086602, $v); if ($ok) { $v = pack("L", 0); ioctl($f, 0x40086602, $v); } print($ok ? "REACHED\\n" : "blocked: $!\\n");`,
  ),
  ...['/usr/probe', '/etc/probe', '/opt/sandgate/probe', '/run/sandgate/probe', '/dev/probe', '/probe'].map((path) =>
    sh(
      `a file at ${path}`,
      `if [ -e /workspace ]; then target=${path}; else target="$PROBE_SCRATCH/probe"; fi; (: > "$target") 2> /dev/null && echo REACHED || echo blocked`,
    ),
  ),
  sh(
    'the runner’s code, to write',
    'if [ -e /opt/sandgate/runner/main.mjs ]; then target=/opt/sandgate/runner/main.mjs; else target="$PROBE_SCRATCH/main.mjs"; fi; (: >> "$target") 2> /dev/null && echo REACHED || echo blocked',
  ),
  sh(
    'the runner’s Node, to write',
    'if [ -e /opt/sandgate/runner-node ]; then target=/opt/sandgate/runner-node; else target="$PROBE_SCRATCH/node"; fi; (: >> "$target") 2> /dev/null && echo REACHED || echo blocked',
  ),
  sh(
    'the runner’s Node, to read',
    'if [ -e /opt/sandgate/runner-node ]; then target=/opt/sandgate/runner-node; else target=/bin/sh; fi; head -c 4 "$target" 2> /dev/null | grep -q ELF && echo REACHED || echo blocked',
  ),
  sh(
    'the plane socket, to take away',
    'if [ -e /run/sandgate/plane.sock ]; then target=/run/sandgate/plane.sock; else target="$PROBE_SCRATCH/plane.sock"; : > "$target"; fi; rm -f "$target" 2> /dev/null && echo REACHED || echo blocked',
  ),
  sh(
    'a hard link out of a read-only mount',
    'if [ -e /workspace ]; then source=/opt/sandgate/runner/main.mjs; else source="$PROBE_SCRATCH/link-source"; : > "$source"; fi; rm -f "$PROBE_SCRATCH/linked"; ln "$source" "$PROBE_SCRATCH/linked" 2> /dev/null && echo REACHED || echo blocked',
  ),
  sh(
    'freedom from the memory killer',
    'echo -900 2> /dev/null > /proc/self/oom_score_adj && echo REACHED || echo blocked',
  ),
];

import type { Probe } from './probe.js';
import { call, number, OWN_MOUNTS, perl, reaches, sh } from './probe.js';

const CLONE_NEWUSER = 0x10000000;
const NAMESPACES: [string, number][] = [
  ['user', CLONE_NEWUSER],
  ['mount', 0x00020000],
  ['pid', 0x20000000],
  ['network', 0x40000000],
  ['cgroup', 0x02000000],
  ['time', 0x00000080],
];

/** Forks a child that sleeps, does something to it, and ends it. `$pid` is the child. */
const onChild = (code: string): string =>
  `my $pid = fork(); if (!$pid) { sleep 20; exit; } select(undef, undef, undef, 0.1); ${code}; kill 9, $pid;`;
const verdict = 'print($r != -1 ? "REACHED\\n" : "blocked: $!\\n")';

export const SYSTEM_CALL_PROBES: Probe[] = [
  perl('ptrace of a child', onChild(`my $r = syscall(${number('ptrace')}, 16, $pid, 0, 0); ${verdict}`)),
  call('ptrace', [0, 0, 0, 0], {}, 'ptrace by the parent'),
  perl(
    'reading the memory of another process',
    onChild(
      `my $b = "\\0" x 8; my $l = pack("QQ", unpack("Q", pack("P", $b)), 8); my $m = do { open my $f, "<", "/proc/$pid/maps"; <$f> }; my ($a) = $m =~ /^([0-9a-f]+)/; my $t = pack("QQ", hex($a), 8); my $r = syscall(${number('process_vm_readv')}, $pid, $l, 1, $t, 1, 0); ${verdict}`,
    ),
  ),
  perl(
    'writing the memory of another process',
    onChild(`my $r = syscall(${number('process_vm_writev')}, $pid, 0, 0, 0, 0, 0); ${verdict}`),
  ),
  perl(
    'taking a descriptor of another process',
    onChild(
      `my $p = syscall(${number('pidfd_open')}, $pid, 0); my $r = syscall(${number('pidfd_getfd')}, $p, 1, 0); ${verdict}`,
    ),
  ),
  perl('comparing two processes', onChild(`my $r = syscall(${number('kcmp')}, $$ + 0, $pid, 0, 1, 1); ${verdict}`)),
  call('keyctl', [0, -3, 1], {}, 'the session keyring'),
  perl(
    'a key in the keyring',
    `my ($t, $n, $p) = ("user", "probe", "x"); my $r = syscall(${number('add_key')}, $t, $n, $p, 1, -2); ${verdict};`,
  ),
  perl(
    'a key by request',
    `my ($t, $n) = ("user", "probe"); my $r = syscall(${number('request_key')}, $t, $n, 0, 0); my $e = $! + 0; print($e != 1 && $e != 38 ? "REACHED\\n" : "blocked: $!\\n");`,
  ),
  perl(
    'a BPF map',
    `my $a = pack("LLLL", 2, 4, 4, 1) . "\\0" x 100; my $r = syscall(${number('bpf')}, 0, $a, length $a); ${verdict};`,
  ),
  perl(
    'a performance counter',
    `my $a = pack("LLQ", 1, 112, 0) . "\\0" x 96; my $r = syscall(${number('perf_event_open')}, $a, 0, -1, -1, 0); ${verdict};`,
  ),
  call('userfaultfd', [1]),
  perl('an io_uring', `my $p = "\\0" x 120; my $r = syscall(${number('io_uring_setup')}, 4, $p); ${verdict};`),
  reaches('io_uring_enter', [-1, 0, 0, 0, 0, 0]),
  reaches('io_uring_register', [-1, 0, 0, 0]),
  ...NAMESPACES.map(([name, flag]) => call('unshare', [flag], {}, `a ${name} namespace by unshare`)),
  perl(
    'a user namespace by clone',
    `my $r = syscall(${number('clone')}, ${CLONE_NEWUSER | 17}, 0, 0, 0, 0); if ($r == 0) { exit; } ${verdict};`,
  ),
  perl(
    'a user namespace by clone3',
    `my $a = pack("QQQQQQQQ", ${CLONE_NEWUSER}, 0, 0, 0, 17, 0, 0, 0); my $r = syscall(${number('clone3')}, $a, 64); if ($r == 0) { exit; } ${verdict};`,
  ),
  perl(
    'entering a namespace',
    `open my $f, "<", "/proc/self/ns/uts" or die "blocked: $!\\n"; my $r = syscall(${number('setns')}, fileno $f, 0); ${verdict};`,
  ),
  perl(
    'a mount',
    `mkdir "/tmp/probe-mount"; my ($s, $t, $f) = ("none", "/tmp/probe-mount", "tmpfs"); my $r = syscall(${number('mount')}, $s, $t, $f, 0, 0); ${verdict};`,
    { controlThrough: OWN_MOUNTS },
  ),
  perl('a mount by the new calls', `my $f = "tmpfs"; my $r = syscall(${number('fsopen')}, $f, 0); ${verdict};`),
  perl('a copy of a mount', `my $p = "/"; my $r = syscall(${number('open_tree')}, -100, $p, 1); ${verdict};`, {
    controlThrough: OWN_MOUNTS,
  }),
  perl(
    'a mount made writable',
    `my $p = "/usr"; my $a = pack("QQQQ", 0, 1, 0, 0); my $r = syscall(${number('mount_setattr')}, -100, $p, 0, $a, 32); my $e = $! + 0; print($e != 1 && $e != 38 ? "REACHED\\n" : "blocked: $!\\n");`,
    { controlThrough: OWN_MOUNTS },
  ),
  perl(
    'taking a mount away',
    `my $p = -e "/workspace" ? "/proc" : "/dev/shm"; my $r = syscall(${number('umount2')}, $p, 2); ${verdict};`,
    { controlThrough: OWN_MOUNTS },
  ),
  perl('another root folder', `my $p = "/tmp"; my $r = syscall(${number('chroot')}, $p); ${verdict};`),
  reaches('pivot_root', [0, 0], { controlThrough: OWN_MOUNTS }),
  perl(
    'a file by its handle',
    `my $h = pack("LL", 8, 1) . "\\0" x 8; my $r = syscall(${number('open_by_handle_at')}, -100, $h, 0); my $e = $! + 0; print($e != 1 && $e != 38 ? "REACHED\\n" : "blocked: $!\\n");`,
  ),
  reaches('init_module', [0, 0, 0]),
  reaches('finit_module', [-1, 0, 0]),
  reaches('delete_module', [0, 0]),
  reaches('kexec_load', [0, 999, 0, 0]),
  reaches('swapon', [0, 0]),
  reaches('swapoff', [0]),
  reaches('reboot', [0, 0, 0, 0]),
  reaches('quotactl', [0, 0, 0, 0]),
  reaches('fanotify_init', [0, 0]),
  reaches('settimeofday', [1, 0]),
  reaches('sethostname', [0, 10], { controlThrough: ['unshare', '-u', '--'] }),
  call('syslog', [10, 0, 0], {}, 'the kernel’s log'),
  call('personality', [0x0040000], {}, 'a personality without address randomization'),
  call('setresuid', [0, 0, 0], {}, 'becoming root'),
  perl('root’s groups', `my $g = pack("L", 0); my $r = syscall(${number('setgroups')}, 1, $g); ${verdict};`),
  perl(
    'a capability',
    `my $h = pack("LL", 0x20080522, 0); my $d = pack("LLLLLL", 1 << 21, 1 << 21, 0, 0, 0, 0); my $r = syscall(${number('capset')}, $h, $d); ${verdict};`,
  ),
  perl(
    'real-time scheduling',
    `my $p = pack("l", 1); my $r = syscall(${number('sched_setscheduler')}, 0, 1, $p); ${verdict};`,
  ),
  perl('a higher priority', `my $r = syscall(${number('setpriority')}, 0, 0, -5); ${verdict};`),
  sh('a limit raised again', 'ulimit -c 0; ulimit -c 1 2> /dev/null && echo REACHED || echo blocked'),
  sh(
    'a bubblewrap of its own',
    'bwrap --dev-bind / / --unshare-user true 2> /dev/null && echo REACHED || echo blocked',
  ),
  sh('nsenter into another process', 'nsenter -t $PPID -m -u true 2> /dev/null && echo REACHED || echo blocked'),
];

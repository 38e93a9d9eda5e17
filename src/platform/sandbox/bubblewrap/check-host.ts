import { readFile } from 'node:fs/promises';
import { SandgateError } from '../../../domain/errors.js';
import { runConfined } from './confined.js';
import type { ProviderReport } from '../provider.js';
import { describeKeeping, tryDisk, tryHiding } from '../room/try-room.js';
import type { Host } from './host.js';

const MIN_VERSION = [0, 8] as const;
/** First version that does not follow a link while it makes a mount target (CVE-2026-87766). */
const FIXED_VERSION = [0, 12] as const;
const TRIAL_TIMEOUT_MS = 15_000;
/** What a program of the trial must find about itself: no capability, no way to get one, a filter. */
const EXPECTED_STATUS = {
  CapEff: '0000000000000000',
  CapPrm: '0000000000000000',
  CapBnd: '0000000000000000',
  CapAmb: '0000000000000000',
  NoNewPrivs: '1',
  Seccomp: '2',
};

/**
 * Tries the whole profile with a real program; a profile that this host cannot provide is a reason not to start
 * (docs/design/sandbox.md).
 */
export async function checkHost(host: Host, dataDir: string): Promise<ProviderReport> {
  const missing: string[] = [];
  const notes = [
    `bubblewrap ${host.version}, ${host.mode === 'root' ? 'root mode: one host uid for each run' : 'user mode: one user namespace for each run'}`,
  ];
  if (isOlder(host.version, MIN_VERSION))
    missing.push(`bubblewrap ${host.version} is too old; ${MIN_VERSION.join('.')} or newer is needed`);
  else missing.push(...(await tryProfile()));
  if (isOlder(host.version, FIXED_VERSION)) {
    notes.push(
      `bubblewrap before ${FIXED_VERSION.join('.')} follows links while it makes mount targets (CVE-2026-87766); Sandgate never lets it make one in a workspace`,
    );
  }
  if (host.limiter.kind === 'soft')
    notes.push(
      'limits of memory, processes and CPU are soft: no cgroup could be used; start Sandgate as a service with Delegate=yes, or as root, for hard ones',
    );
  else notes.push(`limits are hard (${host.limiter.kind})`);
  notes.push(...(await tryDisk(host, dataDir)), ...(await tryHiding(host, dataDir)));
  notes.push(describeKeeping(host));
  return { ok: missing.length === 0, missing, notes };
}

/** Runs a program in the confinement of this host. @returns what does not hold; nothing where all does */
export async function tryProfile(): Promise<string[]> {
  const program = `cat /proc/self/status; sed 's/^ */interface /' /proc/net/dev; echo "processes: $(ls -d /proc/[0-9]* | wc -l)"`;
  try {
    const result = await runConfined({
      argv: ['/bin/sh', '-c', program],
      env: {},
      readOnly: [],
      readWrite: [],
      cwd: '/',
      timeoutMs: TRIAL_TIMEOUT_MS,
      memoryMb: 256,
      maxOutputBytes: 65_536,
    });
    if (result.exitCode !== 0) return [await explain(result.stderr.toString('utf8').trim())];
    return findWeaknesses(result.stdout.toString('utf8'));
  } catch (error) {
    return [error instanceof SandgateError ? error.message : `a sandbox could not be started: ${String(error)}`];
  }
}

function findWeaknesses(status: string): string[] {
  const weak = Object.entries(EXPECTED_STATUS)
    .filter(([name, value]) => !new RegExp(`^${name}:\\s*${value}$`, 'm').test(status))
    .map(([name, value]) => `inside the sandbox ${name} is not ${value}`);
  const interfaces = [...status.matchAll(/^interface ([^:|]+):/gm)]
    .map((match) => match[1])
    .filter((name) => name !== 'lo');
  if (interfaces.length > 0) weak.push(`the sandbox sees network interfaces of the host: ${interfaces.join(', ')}`);
  const processes = Number(/^processes: (\d+)$/m.exec(status)?.[1]);
  if (!(processes <= 5)) weak.push(`the sandbox sees ${processes} processes, those of the host among them`);
  return weak;
}

/** What a person can change when bubblewrap fails; its own words come first. */
async function explain(stderr: string): Promise<string> {
  const said = `a sandbox could not be started: ${stderr.split('\n').at(-1) ?? ''}`;
  const settings: [path: string, blocks: string, advice: string][] = [
    [
      '/proc/sys/kernel/apparmor_restrict_unprivileged_userns',
      '1',
      'AppArmor restricts user namespaces: allow bwrap in an AppArmor profile, or set kernel.apparmor_restrict_unprivileged_userns=0',
    ],
    ['/proc/sys/kernel/unprivileged_userns_clone', '0', 'set kernel.unprivileged_userns_clone=1'],
    ['/proc/sys/user/max_user_namespaces', '0', 'set user.max_user_namespaces to 10000 or so'],
  ];
  for (const [path, blocks, advice] of settings) {
    if ((await readFile(path, 'utf8').catch(() => '')).trim() === blocks) return `${said}; ${advice}`;
  }
  return /setpriv/.test(stderr) ? `${said}; install util-linux, which has /usr/bin/setpriv` : said;
}

function isOlder(version: string, than: readonly [number, number]): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < than[0] || (major === than[0] && minor < than[1]);
}

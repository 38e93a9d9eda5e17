import { existsSync } from 'node:fs';
import type { SandboxSizes } from '../../../../domain/run/spec.js';
import type { LimitedLaunch, Limiter } from './limits.js';
import { OWN_PROCESSES } from './limits.js';

const MIB = 1024 * 1024;
/** V8 makes its code range writable at start, which counts as private memory long before it is used. */
const CODE_RANGE_BYTES = 640 * MIB;

/** A transient scope of the user's service manager, or of the system's for root. */
export class ScopeLimiter implements Limiter {
  readonly kind = 'systemd-scope';

  constructor(private readonly user: boolean) {}

  prepare(runId: string, sizes: SandboxSizes): Promise<LimitedLaunch> {
    const unit = `sandgate-${runId}.scope`;
    const properties = [
      `MemoryMax=${sizes.memory_mb}M`,
      'MemorySwapMax=0',
      `TasksMax=${sizes.pids + OWN_PROCESSES}`,
      `CPUQuota=${Math.round(sizes.cpus * 100)}%`,
    ];
    const wrapper = [
      '/usr/bin/systemd-run',
      ...(this.user ? ['--user'] : []),
      ...['--scope', '--quiet', '--collect', `--unit=${unit}`],
      ...properties.flatMap((property) => ['-p', property]),
      '--',
    ];
    return Promise.resolve({ record: { kind: this.kind, unit }, join: [], wrapper, dataBytes: null, processes: null });
  }
}

/** No cgroups: RLIMIT_DATA for each process (RLIMIT_AS kills Node), RLIMIT_NPROC, and the sampler of supervision. */
export class SoftLimiter implements Limiter {
  readonly kind = 'soft';

  /** @param countsInside true where the kernel counts processes for each user namespace, or the run has a uid of its own */
  constructor(private readonly countsInside: boolean) {}

  prepare(_runId: string, sizes: SandboxSizes): Promise<LimitedLaunch> {
    return Promise.resolve({
      record: { kind: this.kind },
      join: [],
      wrapper: [],
      dataBytes: sizes.memory_mb * MIB + CODE_RANGE_BYTES,
      processes: this.countsInside ? sizes.pids : null,
    });
  }
}

/** True where a systemd manager that this user may ask is running. */
export function hasServiceManager(user: boolean): boolean {
  if (!existsSync('/usr/bin/systemd-run')) return false;
  if (!user) return existsSync('/run/systemd/system');
  const runtimeDir = process.env['XDG_RUNTIME_DIR'];
  return runtimeDir !== undefined && existsSync(`${runtimeDir}/systemd/private`);
}

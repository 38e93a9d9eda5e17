import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandgateConfig } from '../platform/config/index.js';
import { checkHost } from '../platform/sandbox/bubblewrap/check-host.js';
import { findHost } from '../platform/sandbox/bubblewrap/host.js';
import type { ProviderReport } from '../platform/sandbox/provider.js';

/** Tries the sandbox profile of this host in a folder of its own, so that asking leaves no state behind. */
export async function inspectHost(config: SandgateConfig): Promise<{ name: string; report: ProviderReport }> {
  const folder = mkdtempSync(join(tmpdir(), 'sandgate-doctor-'));
  try {
    const name = config.sandbox.provider === 'auto' ? 'bubblewrap' : config.sandbox.provider;
    return { name, report: await checkHost(await findHost(), folder) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

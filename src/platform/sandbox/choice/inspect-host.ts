import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkHost } from '../bubblewrap/check-host.js';
import { findHost } from '../bubblewrap/host.js';
import type { ProviderReport } from '../provider.js';

/** Tries the sandbox profile of this host in a folder of its own, so that asking leaves no state behind. */
export async function inspectHost(): Promise<{ name: string; report: ProviderReport }> {
  const folder = mkdtempSync(join(tmpdir(), 'sandgate-doctor-'));
  try {
    return { name: 'bubblewrap', report: await checkHost(await findHost(), folder) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

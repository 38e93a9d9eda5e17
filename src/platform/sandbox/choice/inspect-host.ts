import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SandgateError } from '../../../domain/errors.js';
import { removePlaneRoot } from '../../host/plane-socket-path.js';
import { checkHost } from '../bubblewrap/check-host.js';
import { findHost } from '../bubblewrap/host.js';
import { checkEngine } from '../docker/check-engine.js';
import type { ProviderReport } from '../provider.js';
import { findRoomAbilities } from '../room/try-room.js';
import { openEngine, planeAccess, type EngineConfig, type ListenerConfig } from './open-engine.js';

type ProviderName = 'bubblewrap' | 'docker';

/** What was found of the provider that a start would take; of the last one tried where none works. */
export interface Inspection {
  name: ProviderName;
  report: ProviderReport;
}

/** Tries the sandbox profile of this host in a folder of its own, so that asking leaves no state behind. */
export async function inspectHost(
  config: EngineConfig & { readonly provider: ProviderName | 'auto' },
  http: ListenerConfig,
): Promise<Inspection> {
  const folder = mkdtempSync(join(tmpdir(), 'sandgate-doctor-'));
  try {
    const inspect = () => inspectEngine(config, http, folder);
    if (config.provider === 'docker') return { name: 'docker', report: await inspect() };
    const report = await reportOf(async () => checkHost(await findHost(), folder));
    if (report.ok || config.provider === 'bubblewrap') return { name: 'bubblewrap', report };
    const other = await inspect();
    if (other.ok) return { name: 'docker', report: { ...other, notes: [...other.notes, ...report.missing] } };
    return { name: 'bubblewrap', report: { ...report, missing: [...report.missing, ...other.missing] } };
  } finally {
    await removePlaneRoot(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}

function inspectEngine(config: EngineConfig, http: ListenerConfig, dataDir: string): Promise<ProviderReport> {
  return reportOf(async () => {
    const engine = await openEngine(config);
    const { dockerRuntime: engineRuntime, image } = config;
    const on = { engine, image, engineRuntime, plane: planeAccess(config, http), host: findRoomAbilities() };
    return checkEngine({ ...on, dataDir, deployment: randomUUID() });
  });
}

async function reportOf(check: () => Promise<ProviderReport>): Promise<ProviderReport> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof SandgateError)) throw error;
    return { ok: false, missing: [error.message], notes: [] };
  }
}

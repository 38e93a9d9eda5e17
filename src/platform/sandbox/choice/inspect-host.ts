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

/** In the order in which `auto` takes them. */
const PREFERRED: readonly ProviderName[] = ['bubblewrap', 'docker'];

/** What was found of one provider. */
export interface Inspection {
  name: ProviderName;
  report: ProviderReport;
  /** A start would take it, or refuse because of it. */
  isChosen: boolean;
}

/** Tries the sandbox profile of each provider in a folder of its own, so that asking leaves no state behind; the chosen one comes first. */
export async function inspectHost(
  config: EngineConfig & { readonly provider: ProviderName | 'auto' },
  http: ListenerConfig,
): Promise<Inspection[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sandgate-doctor-'));
  try {
    const found = {
      bubblewrap: await reportOf(async () => checkHost(await findHost(), folder)),
      docker: await inspectEngine(config, http, folder),
    };
    const works = PREFERRED.find((name) => found[name].ok);
    const chosen = config.provider === 'auto' ? works : config.provider;
    return PREFERRED.map((name) => ({
      name,
      report: found[name],
      isChosen: name === chosen || chosen === undefined,
    })).toSorted((one, other) => Number(other.isChosen) - Number(one.isChosen));
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

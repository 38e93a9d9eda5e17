import { realpath } from 'node:fs/promises';
import { SandgateError } from '../../../domain/errors.js';
import type { Confine } from '../../host/confine.js';
import { tryProfile } from '../bubblewrap/check-host.js';
import { runConfined } from '../bubblewrap/confined.js';
import { imageProblem } from '../docker/check-engine.js';
import { confineInContainers } from '../docker/confined.js';
import { openEngine, type EngineConfig } from './open-engine.js';

/** What decides how programs of our own are confined on this host. */
export interface ConfineChoice {
  sandbox: EngineConfig & { readonly provider: 'auto' | 'bubblewrap' | 'docker' };
  dataDir: string;
  /** Tells the containers of this installation from those of others on the same engine. */
  deployment: string;
  /** A Node that an engine sees. */
  node: string;
}

/**
 * How programs of our own are confined on this host: bubblewrap's way where it works, whatever makes the sandboxes, because it takes
 * milliseconds; else a container for each.
 * @throws SandgateError `unavailable` where neither can be had, or where only the one can be had that the configuration rules out
 */
export async function chooseConfine({ sandbox, dataDir, deployment, node }: ConfineChoice): Promise<Confine> {
  const missing = await tryProfile();
  if (missing.length === 0) return runConfined;
  if (sandbox.provider === 'bubblewrap') throw refusal(missing);
  try {
    const engine = await openEngine(sandbox);
    const problem = imageProblem(sandbox.image, await engine.inspectImage(sandbox.image));
    if (problem !== null) throw new SandgateError('unavailable', problem);
    return confineInContainers({ engine, image: sandbox.image, dataDir, deployment, node: await realpath(node) });
  } catch (error) {
    if (error instanceof SandgateError) throw refusal(missing, error.message);
    throw error;
  }
}

function refusal(missing: readonly string[], engine?: string): SandgateError {
  const problems = [`bubblewrap: ${missing.join('; ')}`, ...(engine === undefined ? [] : [`docker: ${engine}`])];
  return new SandgateError('unavailable', `no program can be confined on this host: ${problems.join('; ')}`);
}

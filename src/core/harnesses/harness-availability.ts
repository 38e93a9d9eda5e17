import { installCommand, needsProgram } from '../../domain/harness/harness-program.js';
import { dialectOf } from '../../domain/models/dialect.js';
import { ensureHostId, type SandgateConfig } from '../../platform/config/index.js';
import { HOST_SEEN_WITHIN_SECS } from '../runs/capacity.js';
import { listRunnableHarnesses, noteHarnesses, type RowsOf } from '../hosts/hosts.js';
import { usableHarnesses } from '../../platform/packages/harnesses/installed-program.js';
import { missingUpstream } from '../../platform/llm/upstream.js';
import type { Harness } from './harness-catalog.js';

/** Why runs of a harness cannot be created. */
export interface Hindrances {
  /** What to install, or null. */
  program: string | null;
  /** What to set, for each model that cannot be called. */
  models: ReadonlyMap<string, string>;
}

/** Whether runs of a harness can be created now, and if not, what to set or to install (docs/design/tools.md). */
export class HarnessAvailability {
  /** @param modelKeys whether this process holds the keys of model providers; one that does not cannot say that there are none */
  constructor(
    private readonly config: Pick<SandgateConfig, 'llm' | 'data'>,
    private readonly modelKeys: 'held' | 'elsewhere' = 'held',
  ) {}

  /** Why a run of this harness with this model cannot be created; null when it can. */
  async whyNot({ id }: Pick<Harness, 'id'>, model: string, rowsOf: RowsOf): Promise<string | null> {
    const reasons = [await this.missingProgram(id, rowsOf), this.missingModel(id, model)];
    return reasons.filter((reason) => reason !== null).join('; ') || null;
  }

  async hindrancesOf({ id, models }: Harness, rowsOf: RowsOf): Promise<Hindrances> {
    const missing = models.flatMap((model): [string, string][] => {
      const reason = this.missingModel(id, model);
      return reason === null ? [] : [[model, reason]];
    });
    return { program: await this.missingProgram(id, rowsOf), models: new Map(missing) };
  }

  private missingModel(harness: string, model: string): string | null {
    const dialect = dialectOf(harness, model);
    return dialect === null || this.modelKeys === 'elsewhere' ? null : missingUpstream(this.config.llm, dialect);
  }

  private async missingProgram(harness: string, rowsOf: RowsOf): Promise<string | null> {
    if (!needsProgram(harness)) return null;
    if ((await listRunnableHarnesses(rowsOf, HOST_SEEN_WITHIN_SECS)).includes(harness)) return null;
    if (await this.noticedHere(harness, rowsOf)) return null;
    return `its program is not installed: run \`${installCommand(harness)}\` on a sandbox host`;
  }

  /** A program that was just installed on this machine and that its worker has not reported yet. */
  private async noticedHere(harness: string, rowsOf: RowsOf): Promise<boolean> {
    const usable = await usableHarnesses(this.config.data.dir);
    return usable.includes(harness) && (await noteHarnesses(rowsOf, ensureHostId(this.config), usable));
  }
}

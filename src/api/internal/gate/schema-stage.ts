import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { canonicalJson } from '../../../domain/digest/canonical-json.js';
import type { ExactJson } from '../../../domain/digest/exact-json.js';
import type { SchemaFinding } from '../../../domain/gate/schema-finding.js';
import { argumentBreach } from '../../../domain/gate/schema-limits.js';
import { SchemaPool } from '../../../platform/schemas/schema-pool.js';
import type { FrozenRun } from '../../../core/gate/run-specs.js';

/**
 * The third stage of the gate: arguments against the frozen input schema (docs/design/gate.md). Counting is done here; a
 * schema is compiled and run by the pool's threads alone.
 */
@Injectable()
export class SchemaStage implements OnApplicationShutdown {
  private readonly pool = new SchemaPool();
  private counting: Promise<void> = Promise.resolve();

  /** Undefined for a tool that has no frozen schema; another stage answers for it. */
  async check(runId: string, run: FrozenRun, tool: string, input: ExactJson): Promise<SchemaFinding | undefined> {
    const callable = run.gate.tools.find(tool);
    if (callable === undefined) return undefined;
    if (!run.schemas.knows(callable)) await this.ownTurn();
    const schema = run.schemas.of(callable);
    if (schema.kind === 'refused') return { kind: 'unusable', reason: schema.reason };
    const text = canonicalJson(input);
    const breach = argumentBreach(input, text);
    if (breach !== null) return { kind: 'rejected', pointers: breach };
    const finding = await this.pool.check(runId, {
      key: callable.validatorKey(),
      dialect: callable.dialect,
      schema: schema.text,
      input: text,
    });
    if (finding.kind === 'unusable') run.schemas.condemn(callable, finding.reason);
    return finding;
  }

  /**
   * Counting a large schema for the first time takes tens of milliseconds. Calls that arrive together would be counted in one go, so
   * each waits for its own turn of the event loop, between which calls of other runs are answered.
   */
  private ownTurn(): Promise<void> {
    this.counting = this.counting.then(() => nextTurn());
    return this.counting;
  }

  onApplicationShutdown(): void {
    this.pool.close();
  }
}

import type { FrozenCallable } from '../../domain/gate/frozen-set.js';
import { guardSchema, type GuardedSchema } from '../../domain/gate/schema-limits.js';

/** What is known of the schemas of one run. */
export class RunSchemas {
  private readonly guarded = new Map<string, GuardedSchema>();

  /** @param unusable reasons by name of tools that are known to be un-callable in this run */
  constructor(private readonly unusable: Map<string, string> = new Map()) {}

  /** Whether its schema needs no counting any more. */
  knows(tool: FrozenCallable): boolean {
    return this.guarded.has(tool.name) || this.unusable.has(tool.name);
  }

  /** The schema's text within the limits, or why the tool cannot be called in this run any more. */
  of(tool: FrozenCallable): GuardedSchema {
    const reason = this.unusable.get(tool.name);
    if (reason !== undefined) return { kind: 'refused', reason };
    const guarded = this.guarded.get(tool.name) ?? guardSchema(tool.schema);
    this.guarded.set(tool.name, guarded);
    return guarded;
  }

  condemn(tool: FrozenCallable, reason: string): void {
    this.unusable.set(tool.name, reason);
  }
}

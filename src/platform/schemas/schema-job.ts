import type { SchemaDialect } from '../../domain/gate/schema-dialect.js';
import type { SchemaFinding } from '../../domain/gate/schema-finding.js';

/** Arguments to hold against a schema. Both are text, which crosses to the validator's thread cheaply. */
export interface SchemaJob {
  /** Names the schema's compiled form: equal keys have equal schemas (docs/design/gate.md). */
  key: string;
  dialect: SchemaDialect;
  /** Compact JSON that the schema guard has passed. */
  schema: string;
  /** JSON with its numbers as they were written. */
  input: string;
}

/** From the pool to a thread. */
export interface SchemaRequest extends SchemaJob {
  id: number;
}

/** From a thread to the pool, with the processor time it has used so far; `ready` once, when it can take work. */
export type SchemaReply = { cpuMs: number } & (
  | { kind: 'ready' }
  | { kind: 'found'; id: number; finding: SchemaFinding }
);

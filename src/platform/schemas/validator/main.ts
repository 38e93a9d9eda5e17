import { parentPort } from 'node:worker_threads';
import type { SchemaReply, SchemaRequest } from '../schema-job.js';
import { Validators } from './validators.js';

/**
 * A validator's thread: the only place where the schema of an MCP tool is compiled and run (docs/design/gate.md). It may be ended at any
 * moment, holds no state worth keeping, and sees no environment.
 */
if (parentPort === null) throw new Error('a validator runs in a thread of its own');
const port = parentPort;
const validators = new Validators();

/** What the schemas of most tools are made of. */
const COMMON_SCHEMA = {
  type: 'object',
  properties: {
    text: { type: 'string', pattern: '^a', minLength: 1 },
    kind: { enum: ['a', 'b'] },
    count: { type: ['integer', 'null'], minimum: 0 },
    list: { type: 'array', items: { type: 'object', additionalProperties: true } },
  },
  required: ['text'],
  additionalProperties: false,
};

port.on('message', ({ id, ...job }: SchemaRequest) => {
  const finding = validators.check(job);
  port.postMessage({ kind: 'found', id, finding, cpuMs: cpuMs() } satisfies SchemaReply);
});

// Loads and compiles now what the first call of either dialect would be charged for: up to half of its time.
for (const dialect of ['2020-12', 'draft-07'] as const) {
  validators.check({ key: dialect, dialect, schema: JSON.stringify(COMMON_SCHEMA), input: '{"text":"a","list":[{}]}' });
}
port.postMessage({ kind: 'ready', cpuMs: cpuMs() } satisfies SchemaReply);

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

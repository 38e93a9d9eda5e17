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

port.on('message', ({ id, ...job }: SchemaRequest) => {
  const finding = validators.check(job);
  port.postMessage({ kind: 'found', id, finding, cpuMs: cpuMs() } satisfies SchemaReply);
});

// Loads lazily initialised parts now, so that the first call is not charged for them.
validators.check({ key: '', dialect: '2020-12', schema: '{"properties":{"a":{"pattern":"^a"}}}', input: '{"a":"a"}' });
port.postMessage({ kind: 'ready', cpuMs: cpuMs() } satisfies SchemaReply);

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

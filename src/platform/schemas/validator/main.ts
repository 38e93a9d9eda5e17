import { parentPort } from 'node:worker_threads';
import type { SchemaReply, SchemaRequest } from '../schema-job.js';
import { Validators } from './validators.js';

/**
 * A validator's thread: the only place where the schema of an MCP tool is compiled and run (06-gate §6). It may be ended at any
 * moment, holds nothing that anybody would miss, and sees no environment.
 */
if (parentPort === null) throw new Error('a validator runs in a thread of its own');
const port = parentPort;
const validators = new Validators();
const answer = (reply: SchemaReply): void => port.postMessage(reply);

port.on('message', ({ id, ...job }: SchemaRequest) => {
  answer({ kind: 'found', id, finding: validators.check(job) });
});

// What loading leaves to the first use is not charged to somebody's first call.
validators.check({ key: '', dialect: '2020-12', schema: '{"properties":{"a":{"pattern":"^a"}}}', input: '{"a":"a"}' });
answer({ kind: 'ready' });

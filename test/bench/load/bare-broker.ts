import { v7 as uuidv7 } from 'uuid';
import { createBareSchema } from '../bare-schema.js';
import type { BenchStack } from '../bench-stack.js';
import type { Loop, LoopResult } from './closed-loop.js';
import { exchangeLoop } from './exchange-loop.js';
import { forkServer } from './forked-server.js';
import { postRequest } from './http-connection.js';
import { withUpdatedWorkflows } from './updated-workflows.js';

/**
 * Calls through a minimal broker, over `count` workflows: an HTTP front, an update with one activity, four durable
 * one-row writes (verdict, input, claim, answer) and two requests upstream (the tool as it is now, the call). No policy, no isolation,
 * no sealing, no chain.
 */
export async function callBareBroker(
  stack: BenchStack,
  upstream: string,
  count: number,
  loop: Omit<Loop, 'call'>,
): Promise<LoopResult> {
  await createBareSchema(stack.owner, 0);
  const [address, url] = [stack.installation.temporalAddress, stack.databaseUrl];
  const worker = { address, count, worker: 'bare-broker-worker', settings: { url, upstream } };
  return withUpdatedWorkflows(worker, async (workflows) => {
    await using front = await forkServer('bare-broker', { address, url });
    const request = (caller: number) => {
      const workflow = workflows[caller % count]!.workflowId;
      return postRequest('/', 'none', JSON.stringify({ id: uuidv7(), workflow, input: { message: 'hello' } }));
    };
    return await exchangeLoop(front.port, loop, request, ({ body }) => body.startsWith('{"ok":true'));
  });
}

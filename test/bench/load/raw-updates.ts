import { v7 as uuidv7 } from 'uuid';
import type { oneUpdate } from '../servers/one-update.workflow.js';
import { closedLoop, type Loop, type LoopResult } from './closed-loop.js';
import { withUpdatedWorkflows } from './updated-workflows.js';

/** Bare updates with one activity each on the given server, over `count` workflows. */
export function rawUpdates(address: string, count: number, loop: Omit<Loop, 'call'>): Promise<LoopResult> {
  return withUpdatedWorkflows({ address, count, worker: 'bare-worker' }, (workflows) =>
    closedLoop({
      ...loop,
      call: (caller) =>
        workflows[caller % count]!.executeUpdate<void, [string], typeof oneUpdate.name>('oneUpdate', {
          args: [uuidv7()],
        }),
    }),
  );
}

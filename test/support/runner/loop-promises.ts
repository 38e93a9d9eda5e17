import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { reply } from '../../../src/cli/demo/wire/model-script.js';
import type { startAgent } from './builtin-agent.js';

/** How a loop numbers its calls, and after how many events a reply with a call, and one without, is broken off in its middle. */
export interface LoopWire {
  callId: string;
  cutAfterEvents: { call: number; text: number };
}

/** Tests of what every loop of the built-in agent does, whatever format it speaks. */
export function loopPromises(start: typeof startAgent, { callId, cutAfterEvents }: LoopWire): void {
  it('a reply that breaks off is asked for again, without acting on its half', async () => {
    const call = reply({ text: 'Now.' }, { tool: 'Bash', input: { command: 'echo x >> count' }, id: callId });
    const { model, plane, run } = await start([
      { ...call, cutAfterEvents: cutAfterEvents.call },
      call,
      { ...reply({ text: 'end' }), cutAfterEvents: cutAfterEvents.text },
      reply({ text: 'end' }),
    ]);
    expect(await run.exitCode).toBe(0);
    expect(model.requests).toHaveLength(4);
    expect(plane.permissions.map((permission) => permission.toolCallId)).toEqual([callId]);
    expect(await readFile(join(run.workspace, 'count'), 'utf8')).toBe('x\n');
    expect(plane.messages().slice(1)).toEqual(['Now.', 'end']);
  });

  it('gives up after three broken replies in a row', async () => {
    const { model, run } = await start(() => ({ ...reply({ text: 'never' }), cutAfterEvents: 2 }));
    expect(await run.exitCode).toBe(1);
    expect(model.requests).toHaveLength(4);
  });

  it('CP-288 ends with exit code 3 when the gateway refuses the token for its audience', async () => {
    const { plane, run } = await start([reply({ text: 'ok' })], {
      fault: (route) => (route === 'llm' ? { status: 403, body: { error: 'wrong_audience' } } : null),
    });
    expect(await run.exitCode).toBe(3);
    expect(plane.results).toEqual([]);
  });

  it('stops after its turns and says so', async () => {
    const script = () => reply({ tool: 'Bash', input: { command: 'true' } });
    const { model, plane, run } = await start(script, {}, { SERVICE_MAX_TURNS: '3' });
    expect(await run.exitCode).toBe(1);
    expect(model.requests).toHaveLength(3);
    expect(plane.results[0]?.['summary']).toContain('stopped after 3 model turns');
  });
}

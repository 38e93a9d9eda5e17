import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { JsonObject, JsonValue } from '../../domain/json.js';
import { startRun } from '../../../test/support/runner/runner-run.js';
import { ScriptedPlane } from '../../../test/support/plane/scripted-plane.js';
import type { ScriptedPlaneOptions } from '../../../test/support/plane/scripted-plane.js';
import { parseProbe } from './probe-step.js';

const open: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.stop();
});

async function probe(
  items: JsonValue[],
  options: ScriptedPlaneOptions = {},
): Promise<{ plane: ScriptedPlane; exitCode: number; seen: JsonObject[]; text: string }> {
  const plane = await ScriptedPlane.start(options);
  open.push(plane);
  const run = await startRun(plane, { SERVICE_HARNESS: 'replay', SERVICE_TASK: JSON.stringify([{ probe: items }]) });
  open.push({ stop: run.cleanUp });
  const exitCode = await run.exitCode;
  const text = await readFile(join(run.workspace, 'conformance.jsonl'), 'utf8');
  const seen = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as JsonObject);
  return { plane, exitCode, seen, text };
}

const beat = (id: string, more: JsonObject = {}): JsonObject => ({
  id,
  as: 'control',
  path: '/internal/heartbeat',
  ...more,
});

describe('a probe', () => {
  it('carries the tokens that it is told to, and leaves what it was answered and none of them in the workspace', async () => {
    const { plane, exitCode, seen, text } = await probe([
      beat('own'),
      beat('other', { as: 'tool' }),
      beat('nobody', { as: 'unknown' }),
      beat('none', { as: 'none' }),
      {
        id: 'asked',
        as: 'tool',
        path: '/internal/sessions/{id}/permission',
        body: { tool_call_id: 'p', tool: 'Read' },
      },
    ]);
    expect(exitCode).toBe(0);
    expect(seen.map(({ id, status }) => [id, status])).toEqual([
      ['own', 200],
      ['other', 403],
      ['nobody', 403],
      ['none', 403],
      ['asked', 200],
    ]);
    expect(seen[0]?.['body']).toEqual({ ok: true, action: null });
    expect(plane.permissions).toEqual([{ toolCallId: 'p', tool: 'Read', input: null }]);
    for (const token of Object.values(plane.tokens)) expect(text).not.toContain(token);
  });

  it('sends what stands in an inner list at the same time, hangs up, and sends bodies that are no JSON', async () => {
    const { seen } = await probe(
      [
        [beat('slow'), { id: 'held', as: 'tool', path: '/internal/permission', body: {}, hang_up_after_ms: 150 }],
        beat('text', { text: '<>' }),
        { wait_ms: 5 },
      ],
      { decide: () => 'pending' },
    );
    expect(seen.map(({ id }) => id)).toEqual(['slow', 'held', 'text']);
    expect(seen[1]).toMatchObject({ failure: 'hung up' });
  });

  it('goes on when the run is told to stop, because that is what it is to see', async () => {
    const { exitCode, seen, plane } = await probe(
      [
        beat('told', { until: { member: 'action', value: 'quiesce', every_ms: 10, within_ms: 5_000 } }),
        { wait_ms: 200 },
        beat('told-again'),
      ],
      { heartbeatAction: (count) => (count > 2 ? 'quiesce' : null) },
    );
    expect(exitCode).toBe(0);
    expect(seen.map(({ id, body }) => [id, (body as JsonObject)['action']])).toEqual([
      ['told', 'quiesce'],
      ['told-again', 'quiesce'],
    ]);
    expect(plane.results).toEqual([]);
  });

  it.each([
    ['nothing', [], '1 to 200 items'],
    ['no object', ['x'], 'must be an object'],
    ['a path outside the plane', [beat('x', { path: '/v1/sessions' })], 'must begin with /internal/'],
    ['an address', [beat('x', { path: 'http://elsewhere/internal/' })], 'must begin with /internal/'],
    ['a credential that no runner has', [beat('x', { as: 'workspace' })], 'as must be'],
    ['another method', [beat('x', { method: 'DELETE' })], 'GET or POST'],
    ['an id with spaces', [beat('a b')], 'id must be'],
    ['headers that are no text', [beat('x', { headers: { a: 1 } })], 'headers'],
    ['a body too large to make', [beat('x', { fill: 1e12 })], 'fill must be'],
    ['an endless wait', [{ wait_ms: 1e9 }], 'wait_ms'],
  ] as const)('refuses %s', (_what, items, reason) => {
    expect(parseProbe(items as unknown as JsonValue)).toContain(reason);
  });
});

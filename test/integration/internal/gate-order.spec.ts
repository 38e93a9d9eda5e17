import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createGatedRun, post, readLedger } from '../../support/gate/gated-run.js';
import { seededPolicyContent } from '../../support/policies/seeded-policies.js';
import { GateBench } from '../../support/gate/gate-bench.js';

const ALLOW = { decision: 'allow' };
const FIND = { find: { type: 'object', required: ['q'], properties: { q: { type: 'string' } } } };
const F2 = {
  tools: [
    { match: ['*'], action: 'deny' },
    { match: ['Read'], action: 'allow' },
  ],
};

let bench: GateBench;
beforeAll(async () => {
  bench = await GateBench.start();
});
afterAll(() => bench.close());

describe('the order of the gate', () => {
  it('CP-317 an exhausted budget answers before tool set, schema, tier and policy', async () => {
    for (const [tool, trustTier] of [
      ['mcp__ghost__x', 'trusted'],
      ['mcp__kb', 'trusted'],
      ['mcp__kb__find', 'trusted'],
      ['Edit', 'read_only'],
      ['Deploy', 'trusted'],
    ] as const) {
      const run = await createGatedRun(bench.db, {
        policy: F2,
        kb: FIND,
        trustTier,
        budgets: { max_tool_calls: 0 },
      });
      expect(await bench.ask(run, 'a', tool, {})).toEqual({ decision: 'deny', message: 'tool-call budget exceeded' });
      expect(await bench.decisions(run)).toEqual([['a', 'deny', 'budget', null]]);
    }
  });

  it('CP-130 a known id is answered before an exhausted budget, and a broken protocol too', async () => {
    const run = await createGatedRun(bench.db, {
      policy: seededPolicyContent('unrestricted'),
      kb: FIND,
      budgets: { max_tool_calls: 1 },
    });
    expect(await bench.ask(run, 'a', 'mcp__kb__find', { q: 'a' })).toEqual(ALLOW);
    expect(await bench.ask(run, 'a', 'mcp__kb__find', { q: 'a' })).toEqual(ALLOW);
    expect(await bench.ask(run, 'a', 'mcp__kb__find', { q: 'b' })).toMatchObject({
      message: expect.stringContaining('reused'),
    });
    expect(await bench.ask(run, 'a', 'mcp__kb__other', { q: 'a' })).toMatchObject({
      message: expect.stringContaining('reused'),
    });
  });

  it('CP-318 a run that was frozen read-only has no MCP tool that its tier would have to deny', async () => {
    const run = await createGatedRun(bench.db, {
      policy: seededPolicyContent('unrestricted'),
      trustTier: 'read_only',
    });
    await bench.ask(run, 'a', 'mcp__kb__find', { q: 'a' });
    await bench.ask(run, 'b', 'mcp__ghost__x', {});
    expect(await bench.decisions(run)).toEqual([
      ['a', 'deny', 'capability', null],
      ['b', 'deny', 'capability', null],
    ]);
  });

  it('CP-024 a frozen sandbox tool has its gate at /permission and no execution at /tools/call', async () => {
    const run = await createGatedRun(bench.db, { policy: seededPolicyContent('unrestricted'), kb: FIND });
    const call = (tool: string): ReturnType<typeof post> =>
      post(`${bench.plane.url}/internal/tools/call`, run.tokens.tool, { tool_call_id: tool, tool, input: { q: 'a' } });
    expect(await call('mcp__kb__find')).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('sandbox class') },
    });
    expect(await call('mcp__kb__other')).toMatchObject({ status: 200, body: { ok: false, denied: true } });
    expect(await bench.ask(run, 'a', 'mcp__kb__find', { q: 'a' })).toEqual(ALLOW);
    expect(await bench.decisions(run)).toEqual([
      ['mcp__kb__other', 'deny', 'capability', null],
      ['a', 'allow', 'policy', null],
    ]);
  });

  it('CP-313 arguments beyond their limits are named by the limit, whatever the schema says', async () => {
    const run = await createGatedRun(bench.db, { policy: seededPolicyContent('unrestricted'), kb: { any: {} } });
    const deep = (levels: number): unknown => (levels === 1 ? 1 : { a: deep(levels - 1) });
    const message = (limit: string): object => ({
      decision: 'deny',
      message: `arguments rejected by frozen schema: (${limit})`,
    });
    expect(await bench.ask(run, 'a', 'mcp__kb__any', { a: 'x'.repeat(1_048_576) })).toEqual(
      message('larger than 1048576 bytes'),
    );
    expect(await bench.ask(run, 'b', 'mcp__kb__any', deep(65))).toEqual(message('deeper than 64 levels'));
    expect(await bench.ask(run, 'c', 'mcp__kb__any', Array(10_000).fill(0))).toEqual(message('more than 10000 values'));
    expect(await bench.ask(run, 'd', 'mcp__kb__any', deep(64))).toEqual(ALLOW);
  });

  it('CP-313 a refusal names places in the arguments and no value of them, whatever a key is called', async () => {
    const kb = { any: { additionalProperties: { type: 'number' } } };
    const run = await createGatedRun(bench.db, { policy: seededPolicyContent('unrestricted'), kb });
    const input = { 'a\u202eb': 'canary-value', [`long${'é'.repeat(500)}`]: 'canary-value' };
    const { message } = (await bench.ask(run, 'a', 'mcp__kb__any', input)) as { message: string };
    expect(message).toMatch(/^arguments rejected by frozen schema: \/a\u202eb, \/longé/);
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual('arguments rejected by frozen schema: '.length + 400);
    expect(JSON.stringify(await readLedger(bench.db, run))).not.toContain('canary');
  });

  it('CP-313 a number that is no double does not pass as its neighbour', async () => {
    const kb = { at: { properties: { n: { type: 'integer', maximum: 9007199254740992 } } } };
    const run = await createGatedRun(bench.db, { policy: seededPolicyContent('unrestricted'), kb });
    const raw = async (id: string, n: string): Promise<unknown> =>
      (
        await post(
          `${bench.plane.url}/internal/permission`,
          run.tokens.tool,
          `{"tool_call_id":"${id}","tool":"mcp__kb__at","input":{"n":${n}}}`,
        )
      ).body;
    expect(await raw('a', '9007199254740992')).toEqual(ALLOW);
    expect(await raw('b', '1.0')).toEqual(ALLOW);
    expect(await raw('c', '9007199254740993')).toMatchObject({ message: expect.stringContaining('/n') });
    expect(await raw('d', '1e308')).toMatchObject({ message: expect.stringContaining('/n') });
    expect(await raw('e', '1e400')).toMatchObject({ message: 'the input holds a number that is out of range' });
  });
});

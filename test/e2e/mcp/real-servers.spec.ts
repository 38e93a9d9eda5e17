import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Egress } from '../../../src/platform/egress/egress.js';
import type { McpOutcome } from '../../../src/platform/mcp/mcp-outcome.js';
import { takeSnapshot } from '../../../src/platform/mcp/take-snapshot.js';
import { freezeSession, loopbackEgress } from '../../support/mcp/broker-client.js';
import { hasPython } from '../../support/mcp/python-environment.js';
import { startRealServer, type RealServer } from '../../support/mcp/real-servers.js';

jest.setTimeout(60_000);

const PROVIDE_WITHIN_MS = 400_000;
const never = new AbortController().signal;

let egress: Egress;
let folder: string;
let everything: RealServer;
let git: RealServer;
/** Null where there is no Python. */
let time: RealServer | null;

beforeAll(async () => {
  egress = loopbackEgress();
  folder = await mkdtemp(join(tmpdir(), 'sg-mcp-'));
  spawnSync('git', ['init', '--quiet', '--initial-branch=main', folder]);
  [everything, git, time] = await Promise.all([
    startRealServer('everything'),
    startRealServer('git', folder),
    hasPython() ? startRealServer('time') : null,
  ]);
}, PROVIDE_WITHIN_MS);

afterAll(async () => {
  for (const server of [everything, git, time]) await server?.close();
  await egress.close();
  await rm(folder, { recursive: true, force: true });
});

const textOf = (outcome: McpOutcome): string => JSON.stringify((outcome as { content?: unknown }).content);

describe('MCP servers of others over streamable HTTP', () => {
  it('CP-253 give the same snapshot each time: the same tools, the same digest', async () => {
    for (const [server, tool] of [
      [everything, 'echo'],
      [git, 'git_status'],
      [time, 'convert_time'],
    ] as const) {
      if (server === null) continue;
      const take = (): ReturnType<typeof takeSnapshot> =>
        takeSnapshot({ client: egress.guarded, url: server.url, headers: {} });
      const [first, second] = [await take(), await take()];
      expect(first.tools.map(({ name }) => name)).toContain(tool);
      expect(second).toEqual(first);
      expect(['2025-11-25', '2025-06-18']).toContain(first.protocolVersion);
    }
  });

  it('answer the calls of one session: texts, structured content, images and errors', async () => {
    const session = await freezeSession(egress, everything.url);
    const echo = await session.callTool('echo', '{"message":"héllo"}', never);
    expect(echo).toEqual({ state: 'succeeded', isError: false, content: [{ type: 'text', text: 'Echo: héllo' }] });
    expect(textOf(await session.callTool('get-sum', '{"a":2,"b":3}', never))).toContain('5');
    const weather = await session.callTool('get-structured-content', '{"location":"Chicago"}', never);
    expect(weather).toMatchObject({ structuredContent: { temperature: expect.any(Number) } });
    expect(textOf(await session.callTool('get-tiny-image', '{}', never))).toContain('image/png');
    expect(await session.callTool('get-sum', '{"a":"x"}', never)).toMatchObject({
      state: 'failed_upstream',
      isError: true,
    });
    expect(await session.end({})).toBe(true);
  });

  it('initialize anew after they ended the session', async () => {
    const session = await freezeSession(egress, everything.url);
    let upstream = '';
    const other = await freezeSession(egress, everything.url, {
      onHandshake: ({ upstreamSessionId }) => {
        upstream = String(upstreamSessionId);
        return Promise.resolve();
      },
    });
    await other.callTool('echo', '{"message":"1"}', never);
    const ended = await fetch(everything.url, { method: 'DELETE', headers: { 'mcp-session-id': upstream } });
    expect(ended.ok).toBe(true);
    const before = upstream;
    expect(await other.callTool('echo', '{"message":"2"}', never)).toMatchObject({ state: 'succeeded' });
    expect(upstream).not.toBe(before);
    expect(await session.callTool('echo', '{"message":"3"}', never)).toMatchObject({ state: 'succeeded' });
  });

  it('work on what is theirs: a repository, a clock', async () => {
    const repository = await freezeSession(egress, git.url);
    const status = await repository.callTool('git_status', JSON.stringify({ path: folder }), never);
    expect(status).toMatchObject({ state: 'succeeded' });
    expect(textOf(status)).toContain('main');
    if (time === null) return;
    const clock = await freezeSession(egress, time.url);
    const input = '{"source_timezone":"Europe/Berlin","time":"16:30","target_timezone":"Asia/Tokyo"}';
    const converted = await clock.callTool('convert_time', input, never);
    expect(textOf(converted)).toMatch(/T(23|00):30/);
  });
});

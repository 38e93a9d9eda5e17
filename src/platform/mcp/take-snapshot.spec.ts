import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { loopbackEgress } from '../../../test/support/mcp/broker-client.js';
import { ECHO, HostileServer, type OfferedTool } from '../../../test/support/mcp/hostile-server.js';
import { toolsDigest } from '../../domain/capabilities/tools-digest.js';
import type { Egress } from '../egress/egress.js';
import { takeSnapshot, SnapshotError, type ServerSnapshot } from './take-snapshot.js';

let egress: Egress;
let server: HostileServer;

beforeAll(() => {
  egress = loopbackEgress();
});
afterAll(() => egress.close());
beforeEach(async () => {
  server = await HostileServer.start();
});
afterEach(() => server.close());

const take = (headers = {}): Promise<ServerSnapshot> =>
  takeSnapshot({ client: egress.guarded, url: server.url, headers, requestTimeoutMs: 60_000 });
const refused = async (): Promise<SnapshotError> => {
  const error: unknown = await take().catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(SnapshotError);
  return error as SnapshotError;
};
const named = (count: number): OfferedTool[] => Array.from({ length: count }, (_, i) => ({ ...ECHO, name: `t${i}` }));

describe('a tool snapshot', () => {
  it('CP-125 CP-253 CP-315 holds tools, digest and version of a real handshake, whose session it ends', async () => {
    server.tools = [
      { name: 'bare' },
      { ...ECHO, outputSchema: { type: 'object' }, annotations: { readOnlyHint: true }, title: 'E' },
    ];
    const { protocolVersion, tools, digest } = await take();
    expect(protocolVersion).toBe('2025-11-25');
    expect(tools).toEqual([
      { name: 'bare', description: '', input_schema: { type: 'object' }, definition_digest: expect.any(String) },
      {
        name: 'echo',
        description: ECHO.description,
        input_schema: ECHO.inputSchema,
        output_schema: { type: 'object' },
        annotations: { readOnlyHint: true },
        definition_digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      },
    ]);
    expect(digest).toBe(toolsDigest(tools));
    expect(server.methods).toEqual(['initialize', 'notifications/initialized', 'tools/list', 'DELETE']);
    expect(server.openSessions).toBe(0);
    server.protocolVersion = '2025-06-18';
    expect((await take()).protocolVersion).toBe('2025-06-18');
  });

  it('CP-254 takes four pages and not the beginning of five, nor of a listing without an end', async () => {
    await server.close();
    server = await HostileServer.start({ tools: named(64), pageSize: 16 });
    expect((await take()).tools).toHaveLength(64);
    await server.close();
    server = await HostileServer.start({ tools: named(5), pageSize: 1 });
    expect((await refused()).message).toContain('does not end within 4 pages');
    server.always('tools/list', { kind: 'answer', result: { tools: [], nextCursor: '' } });
    expect(await refused()).toMatchObject({ reason: 'guard' });
  });

  it.each<[string, OfferedTool[], string]>([
    ['more than 64 tools', named(65), 'more than 64 tools'],
    ['a name twice', [ECHO, ECHO], 'used twice'],
    ['a name with a space', [{ ...ECHO, name: 'a b' }], '1 to 128'],
    ['a name of 129', [{ ...ECHO, name: 'a'.repeat(129) }], '1 to 128'],
    ['no name', [{} as OfferedTool], 'name'],
    ['no tool', [null as unknown as OfferedTool], 'name'],
    ['a description that is too long', [{ ...ECHO, description: 'x'.repeat(32_769) }], '32768 characters'],
    ['a zero-width character', [{ ...ECHO, description: 'a\u200bb' }], 'U+200B'],
    ['a bidi override', [{ ...ECHO, description: 'a\u202eb' }], 'U+202E'],
    ['an escape character', [{ ...ECHO, description: 'a\u001b[2Jb' }], 'U+001B'],
    ['a tag character', [{ ...ECHO, description: 'a\u{e0041}b' }], 'U+E0041'],
    [
      'a hidden text inside the schema',
      [{ ...ECHO, inputSchema: { properties: { x: { description: '\u2066' } } } }],
      'U+2066',
    ],
    ['a hidden choice', [{ ...ECHO, inputSchema: { enum: ['a\u200bb'] } }], 'a text in input_schema'],
    ['a control character that no table can hold', [{ ...ECHO, inputSchema: { default: '\u0000' } }], 'U+0000'],
    ['half a surrogate pair', [{ ...ECHO, description: 'a\ud800' }], 'U+D800'],
    ['hidden annotations', [{ ...ECHO, annotations: { title: 'a\u202eb' } }], 'in annotations'],
    ['a schema that is no object', [{ ...ECHO, inputSchema: true }], 'must be an object'],
    [
      'two mebibytes',
      named(64).map((tool) => ({
        ...tool,
        description: 'x'.repeat(32_768),
        inputSchema: { enum: ['y'.repeat(9000)] },
      })),
      '2 MiB',
    ],
  ])('never records %s', async (_case, tools, words) => {
    server.tools = tools;
    const error = await refused();
    expect(error).toMatchObject({ reason: 'guard', message: expect.stringContaining(words) });
    expect(error.message.split('tools/list')).toEqual(['', expect.anything()]);
    expect(server.openSessions).toBe(0);
  });

  it('accepts what stands at its limits', async () => {
    server.tools = [{ ...ECHO, name: 'A-z_0.9'.padEnd(128, 'x'), description: '😀\n\t'.padEnd(32_769, 'x') }];
    expect((await take()).tools).toHaveLength(1);
    server.tools = [];
    expect((await take()).tools).toEqual([]);
  });

  it('CP-315 records nothing of another protocol version, nor of a server without tools', async () => {
    server.protocolVersion = '2025-03-26';
    expect(await refused()).toMatchObject({
      reason: 'guard',
      message: expect.stringContaining('unsupported protocol version 2025-03-26'),
    });
    server.next('initialize', { kind: 'answer', result: { protocolVersion: '2025-11-25', capabilities: {} } });
    expect((await refused()).message).toContain('does not offer tools');
  });

  it('tells a refused credential from a server that fails and from one that is not there', async () => {
    server.authorization = 'Bearer good';
    expect(await refused()).toMatchObject({ reason: 'credential', message: 'initialize: upstream answered HTTP 401' });
    expect((await take({ authorization: 'Bearer good' })).tools).toHaveLength(1);
    server.next('initialize', { kind: 'status', status: 503 });
    expect(await refused()).toMatchObject({ reason: 'server' });
    server.next('tools/list', { kind: 'error', code: -32603, message: 'SECRET' });
    server.authorization = undefined;
    expect(await refused()).toMatchObject({ reason: 'server', message: expect.not.stringContaining('SECRET') });
    server.next('initialize', { kind: 'redirect', to: 'https://example.com/' });
    expect(await refused()).toMatchObject({ reason: 'unreachable' });
    await server.stop();
    expect(await refused()).toMatchObject({ reason: 'unreachable' });
  });

  it('CP-032 is not taken of an address that the guard refuses', async () => {
    const guarded = takeSnapshot({ client: egress.guarded, url: 'http://169.254.169.254/mcp', headers: {} });
    await expect(guarded).rejects.toMatchObject({
      reason: 'unreachable',
      message: expect.stringMatching(/^initialize: /),
    });
  });
});

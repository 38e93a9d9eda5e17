import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:net';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { PARSER_PROGRAMS } from '../../../src/platform/parsing/parser-programs.js';
import { hostilePrograms, PRELUDE, type HostileProgram } from '../../support/parsing/hostile-programs.js';
import { testJail } from '../../support/parsing/jail.js';

const SECRET = `s3cret-${process.pid}-of-the-state-folder`;
const CANARY = `c4nary-${process.pid}-of-the-environment`;
const MIB = 1024 * 1024;
const LIMITS = {
  memoryMb: 256,
  cpuSeconds: 30,
  writtenBytes: 64 * MIB,
  timeoutMs: 60_000,
  maxOutputBytes: 4 * MIB,
};
const folder = mkdtempSync(join(realpathSync(tmpdir()), 'docsvc-hostile-'));
const targets = {
  stateFolder: join(folder, 'state'),
  secret: SECRET,
  port: 0,
  addresses: Object.values(networkInterfaces()).flatMap((list) =>
    (list ?? []).filter((one) => !one.internal).map((one) => one.address),
  ),
  socketPath: join(folder, 'state', 'socket'),
  abstractSocket: `docsvc-hostile-${process.pid}`,
  hostPid: process.pid,
};
const servers: Server[] = [];
let connections = 0;

const listen = (where: object): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    servers.push(server);
    server.once('error', reject).listen(where, () => resolve(server));
  });

describe('a hostile program in the place of a parser reaches nothing, and ends by name', () => {
  const document = join(folder, 'document');

  beforeAll(async () => {
    mkdirSync(targets.stateFolder);
    writeFileSync(join(targets.stateFolder, 'secret'), SECRET);
    writeFileSync(document, 'as it was');
    for (const path of [folder, targets.stateFolder]) chmodSync(path, 0o755);
    process.env['HOSTILE_CANARY'] = CANARY;
    const tcp = await listen({ port: 0, host: '::' });
    const address = tcp.address();
    targets.port = typeof address === 'object' && address !== null ? address.port : 0;
    await listen({ path: targets.socketPath });
    await listen({ path: `\0${targets.abstractSocket}` });
  });

  afterAll(async () => {
    delete process.env['HOSTILE_CANARY'];
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    rmSync(folder, { recursive: true, force: true });
  });

  const run = async ({ script, limits }: HostileProgram, name: string) => {
    const programs = join(folder, name);
    mkdirSync(programs);
    writeFileSync(join(programs, 'sniff.mjs'), PRELUDE + script);
    chmodSync(join(programs, 'sniff.mjs'), 0o644);
    return testJail(programs).run({ program: 'sniff', document, limits: { ...LIMITS, ...limits } }, (item) => item);
  };

  it('they are more than twenty, and each stands where a parser would', () => {
    expect(hostilePrograms(targets).length).toBeGreaterThan(20);
    expect(Object.keys(PARSER_PROGRAMS)).toContain('sniff');
  });

  // The port is known only later, so that a program is looked up again when it runs.
  it.each(hostilePrograms(targets).map(({ does }, index) => [does, index] as const))('%s', async (_does, index) => {
    const program = hostilePrograms(targets)[index];
    if (program === undefined) throw new Error('there is no such program');
    const { items, failure } = await run(program, `program-${index}`);
    expect({ failure, items }).toMatchObject({ failure: program.ends });
    const text = JSON.stringify(items);
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain(CANARY);
    expect(text).not.toMatch(/root:[^:]*:\d/);
    expect(items.filter(wasGranted)).toEqual([]);
    expect(connections).toBe(0);
    expect(readFileSync(document, 'utf8')).toBe('as it was');
    expect(readdirSync(targets.stateFolder).sort()).toEqual(['secret', 'socket']);
  });
});

/** Looking at oneself is granted; whatever else was tried has to be refused. */
function wasGranted(item: unknown): boolean {
  if (typeof item !== 'object' || item === null || !('got' in item) || !('name' in item)) return false;
  return !/^(own|parent|first|mode|\d+(cmdline|environ|maps))$/.test(String(item.name));
}

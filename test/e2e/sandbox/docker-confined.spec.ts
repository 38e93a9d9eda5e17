import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Confine, ConfinedCommand } from '../../../src/platform/host/confine.js';
import { confineInContainers } from '../../../src/platform/sandbox/docker/confined.js';
import { Engine } from '../../../src/platform/sandbox/docker/engine.js';
import { describeWithEngine } from '../../support/engine/describe-with-engine.js';
import { MAKE_WITHIN_MS, startEngine } from '../../support/engine/image-store.js';
import type { PodmanService } from '../../support/engine/podman-service.js';
import { TEST_IMAGE } from '../../support/engine/test-image.js';

jest.setTimeout(120_000);

const UID = 231_991;

describeWithEngine('a confined program in a container', () => {
  let engine: PodmanService;
  let confine: Confine;
  let folder: string;
  let writable: string;
  let readable: string;

  beforeAll(async () => {
    engine = await startEngine();
    folder = mkdtempSync(join(realpathSync(tmpdir()), 'sg-confined-'));
    [writable, readable] = [join(folder, 'writable'), join(folder, 'readable')];
    for (const path of [writable, readable]) mkdirSync(path);
    writeFileSync(join(readable, 'file'), 'given ');
    writeFileSync(join(folder, 'beside'), 'not given');
    chmodSync(writable, 0o700);
    chownSync(writable, UID, UID);
    const client = await Engine.open(engine.socket);
    const node = join(folder, 'node');
    writeFileSync(node, '#!/bin/sh\necho "the Node of the sandbox program: $*"\n', { mode: 0o755 });
    const on = { engine: client, image: TEST_IMAGE, dataDir: folder, deployment: 'confined', node };
    confine = confineInContainers(on);
  }, MAKE_WITHIN_MS);

  afterAll(async () => {
    await engine[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const run = (argv: string[], change: Partial<ConfinedCommand> = {}) =>
    confine({
      argv,
      env: {},
      readOnly: [readable],
      readWrite: [writable],
      cwd: writable,
      uid: UID,
      timeoutMs: 60_000,
      memoryMb: 128,
      maxOutputBytes: 65_536,
      ...change,
    });
  const shell = (script: string, change: Partial<ConfinedCommand> = {}) => run(['/bin/sh', '-c', script], change);

  it('reads and writes what it was given, and sees nothing else', async () => {
    const script = [
      `cat ${readable}/file; cat > out; (: > ${readable}/new) 2> /dev/null || echo refused`,
      `cat ${folder}/beside 2> /dev/null || echo hidden; pwd; id -u; wc -l < /proc/net/dev; echo said >&2; exit 5`,
    ].join('\n');
    const { stdout, stderr, ...ended } = await shell(script, { stdin: 'typed' });
    expect(stdout.toString()).toBe(`given refused\nhidden\n${writable}\n${UID}\n3\n`);
    expect(stderr.toString()).toBe('said\n');
    expect(ended).toEqual({ exitCode: 5, timedOut: false, truncated: false });
    expect(readFileSync(join(writable, 'out'), 'utf8')).toBe('typed');
  });

  it('CP-039 has its environment to itself: neither the engine nor a list of processes shows it', async () => {
    const env = { TOKEN: 'it\'s $HOME `a` "secret"\nof two lines' };
    const seen = shell('sleep 2; printf %s "$TOKEN"; env | cut -d= -f1 | grep -c container', { env });
    let shown = '';
    for (; !shown.includes('service-confined-'); await sleep(50)) shown = engine.podman('ps', '--format', '{{.Names}}');
    shown += engine.podman('inspect', shown.trim()) + execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
    const { stdout } = await seen;
    expect(stdout.toString()).toBe(`${env.TOKEN}0\n`);
    expect(shown).toContain('sleep 2');
    expect(shown).not.toContain('secret');
    await expect(shell('true', { env: { 'A=1; reboot; B': '' } })).rejects.toThrow('is not the name of a variable');
  });

  it('is given every byte of its input', async () => {
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, at) => [0x10, 0x11, at & 0xff][at % 3] ?? 0));
    const { stdout } = await run(['/usr/bin/sha256sum'], { stdin: bytes });
    expect(stdout.toString()).toContain(createHash('sha256').update(bytes).digest('hex'));
  });

  it('runs the Node that the engine sees, which the files of this process may not be', async () => {
    const { stdout } = await run([process.execPath, '--version'], { readOnly: [process.execPath] });
    expect(stdout.toString()).toBe('the Node of the sandbox program: --version\n');
  });

  it('is killed when its time is over, when it prints too much, and when nobody waits any more', async () => {
    expect(await run(['/bin/sleep', '60'], { timeoutMs: 2_000 })).toMatchObject({ exitCode: null, timedOut: true });
    const flood = await shell('yes', { maxOutputBytes: 1_000 });
    expect(flood).toMatchObject({ exitCode: null, truncated: true });
    expect(flood.stdout).toHaveLength(1_000);
    const stopped = run(['/bin/sleep', '60'], { signal: AbortSignal.timeout(500) });
    expect(await stopped).toMatchObject({ exitCode: null, timedOut: false });
  });

  it('refuses a path that is a link, and leaves no container behind', async () => {
    symlinkSync('/etc', join(folder, 'link'));
    await expect(shell('true', { readOnly: [join(folder, 'link')] })).rejects.toThrow('symbolic link');
    expect(engine.podman('ps', '--all', '--quiet').trim()).toBe('');
  });
});

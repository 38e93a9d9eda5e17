import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
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
import type { ConfinedCommand } from '../../../src/platform/host/confine.js';
import { runConfined } from '../../../src/platform/sandbox/bubblewrap/confined.js';

jest.setTimeout(60_000);

const isRoot = process.getuid?.() === 0;
const UID = 231_990;

describe(`a confined program, started by ${isRoot ? 'root' : 'a user'}`, () => {
  let folder: string;
  let writable: string;
  let readable: string;

  beforeAll(() => {
    folder = mkdtempSync(join(realpathSync(tmpdir()), 'sandgate-confined-'));
    writable = join(folder, 'writable');
    readable = join(folder, 'readable');
    for (const path of [writable, readable]) mkdirSync(path);
    writeFileSync(join(readable, 'file'), 'given');
    writeFileSync(join(folder, 'beside'), 'not given');
    chmodSync(writable, 0o700);
    if (isRoot) chownSync(writable, UID, UID);
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const run = (script: string, change: Partial<ConfinedCommand> = {}) =>
    runConfined({
      argv: ['/bin/sh', '-c', script],
      env: {},
      readOnly: [readable],
      readWrite: [writable],
      cwd: writable,
      ...(isRoot ? { uid: UID } : {}),
      timeoutMs: 20_000,
      memoryMb: 256,
      maxOutputBytes: 65_536,
      ...change,
    });

  it('reads and writes what it was given and sees nothing else', async () => {
    const result = await run(
      `cat ${readable}/file; cat > out; (: > ${readable}/new) 2> /dev/null || echo refused; cat ${folder}/beside 2> /dev/null || echo hidden; pwd`,
      { stdin: 'typed' },
    );
    expect(result).toMatchObject({ exitCode: 0, timedOut: false, truncated: false });
    expect(result.stdout.toString()).toBe(`givenrefused\nhidden\n${writable}\n`);
    expect(readFileSync(join(writable, 'out'), 'utf8')).toBe('typed');
  });

  it('has its environment and nothing of ours, on no command line', async () => {
    process.env['CONFINED_CANARY'] = 'c4n4ry';
    const result = await run('env; tr "\\0" "\\n" < /proc/1/environ 2> /dev/null; cat /proc/1/cmdline', {
      env: { GIVEN: 's3cret' },
    });
    delete process.env['CONFINED_CANARY'];
    expect(result.stdout.toString()).toContain('GIVEN=s3cret');
    expect(result.stdout.toString()).not.toContain('c4n4ry');
    expect(result.stdout.toString().split('s3cret')).toHaveLength(2);
  });

  it('has no network, no capability and a filter', async () => {
    const result = await run(
      'cut -d: -f1 /proc/net/dev | tail -n +3 | tr -d " "; grep -E "CapEff|CapBnd|Seccomp:" /proc/self/status',
    );
    expect(result.stdout.toString()).toBe('lo\nCapEff:\t0000000000000000\nCapBnd:\t0000000000000000\nSeccomp:\t2\n');
  });

  it('is killed with everything it started when its time is up', async () => {
    const began = Date.now();
    // Of this process alone, whatever else runs on the machine.
    const seconds = `61.${process.pid}`;
    const result = await run(`sleep ${seconds} & sleep ${seconds}`, { timeoutMs: 400 });
    expect(result).toMatchObject({ exitCode: null, timedOut: true });
    expect(Date.now() - began).toBeLessThan(40_000);
    const left = execFileSync('ps', ['-eo', 'stat,args'], { encoding: 'utf8' }).split('\n');
    expect(left.filter((line) => line.includes(`sleep ${seconds}`) && !line.startsWith('Z'))).toEqual([]);
  });

  it('is stopped when it prints too much, and the beginning is kept', async () => {
    const result = await run('yes', { maxOutputBytes: 10_000 });
    expect(result.truncated).toBe(true);
    expect(result.stdout).toHaveLength(10_000);
  });

  it('reports how the program ended, and errors beside the output', async () => {
    const result = await run('echo bad >&2; exit 3');
    expect(result).toMatchObject({ exitCode: 3 });
    expect(result.stderr.toString()).toBe('bad\n');
  });

  it('is not started on a path that leads through a link', async () => {
    symlinkSync(writable, join(folder, 'link'));
    await expect(run('true', { readWrite: [join(folder, 'link')] })).rejects.toThrow(/symbolic link/);
    await expect(run('true', { readOnly: [join(writable, 'inner')], readWrite: [writable] })).rejects.toThrow();
    expect(existsSync(join(writable, 'inner'))).toBe(false);
  });
});

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stageRuntime } from './runtime.js';

describe('the runtime of sandboxes', () => {
  let folder: string;
  const source = (): { nodeBinary: string; runnerBundle: string } => ({
    nodeBinary: join(folder, 'node'),
    runnerBundle: join(folder, 'runner/main.mjs'),
  });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sandgate-runtime-'));
    mkdirSync(join(folder, 'runner'));
    writeFileSync(join(folder, 'node'), 'a node', { mode: 0o755 });
    writeFileSync(join(folder, 'runner/main.mjs'), 'one');
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('holds a Node that can be run but not read, an ordinary one, and the runner', async () => {
    const { dir } = await stageRuntime(join(folder, 'data'), source());
    expect(statSync(join(dir, 'runner-node')).mode & 0o777).toBe(0o111);
    expect(statSync(join(dir, 'node/bin/node')).mode & 0o777).toBe(0o755);
    expect(readFileSync(join(dir, 'runner/main.mjs'), 'utf8')).toBe('one');
    for (const name of ['', 'runner', 'node', 'node/bin', 'tools'])
      expect(statSync(join(dir, name)).mode & 0o777).toBe(0o755);
  });

  it('is staged once for each version, also by many at the same time', async () => {
    const data = join(folder, 'data');
    const staged = await Promise.all(Array.from({ length: 6 }, () => stageRuntime(data, source())));
    expect(new Set(staged.map((one) => one.dir)).size).toBe(1);
    expect(readdirSync(join(data, 'runtime'))).toEqual([staged[0]?.version]);
  });

  it('holds the certificates that a deployment adds beside those of its host, and none otherwise', async () => {
    const data = join(folder, 'data');
    const plain = await stageRuntime(data, source());
    expect(existsSync(join(plain.dir, 'certificates.pem'))).toBe(false);
    const certificates = '-----BEGIN CERTIFICATE-----\nours\n-----END CERTIFICATE-----\n';
    const { dir } = await stageRuntime(data, { ...source(), certificates });
    expect(dir).not.toBe(plain.dir);
    expect(statSync(join(dir, 'certificates.pem')).mode & 0o777).toBe(0o644);
    const bundle = readFileSync(join(dir, 'certificates.pem'), 'utf8');
    expect(bundle.endsWith(`-----END CERTIFICATE-----\n${certificates}`)).toBe(true);
    expect(bundle.match(/-----BEGIN CERTIFICATE-----/g)?.length).toBeGreaterThan(10);
  });

  it('of an earlier version stays while a run could use it', async () => {
    const data = join(folder, 'data');
    const first = await stageRuntime(data, source());
    writeFileSync(join(folder, 'runner/main.mjs'), 'two');
    mkdirSync(join(data, 'runs/some-run'), { recursive: true });
    const second = await stageRuntime(data, source());
    expect(second.version).not.toBe(first.version);
    expect(existsSync(first.dir)).toBe(true);
    rmSync(join(data, 'runs/some-run'), { recursive: true });
    await stageRuntime(data, source());
    expect(existsSync(first.dir)).toBe(false);
  });
});

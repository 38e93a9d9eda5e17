import { chmodSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { describeWithEngine } from '../../support/engine/describe-with-engine.js';
import { MAKE_WITHIN_MS, startEngine } from '../../support/engine/image-store.js';
import type { PodmanService } from '../../support/engine/podman-service.js';
import { placeRunsc } from '../../support/engine/runsc.js';
import { TEST_IMAGE } from '../../support/engine/test-image.js';
import { until } from '../../support/time/until.js';
import { SandboxLab } from './support/sandbox-lab.js';

jest.setTimeout(120_000);

describeWithEngine('an engine whose containers are run by gVisor', () => {
  let folder: string;
  let engine: PodmanService;
  let lab: SandboxLab;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sg-gvisor-'));
    chmodSync(folder, 0o755);
    const runsc = placeRunsc(folder);
    for (const [name, mode] of [
      ['readable', 0o555],
      ['unreadable', 0o111],
    ] as const) {
      copyFileSync('/bin/echo', join(folder, name));
      chmodSync(join(folder, name), mode);
    }
    engine = await startEngine(TEST_IMAGE, runsc);
    lab = await SandboxLab.open('docker', engine.socket);
  }, MAKE_WITHIN_MS);

  afterAll(async () => {
    await engine?.[Symbol.asyncDispose]();
    await lab?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const run = (program: string): string =>
    engine.podman(
      ...['run', '--rm', '--network', 'none', '--user', '12345:12345', '--cap-drop', 'ALL'],
      ...['--volume', `${folder}:/mnt:ro`, '--entrypoint', `/mnt/${program}`, TEST_IMAGE, 'it runs'],
    );

  /** What a provider finds; on a busy machine the engine may not answer in time at first. */
  async function found(env: Record<string, string> = {}): Promise<unknown> {
    const check = () => lab.perform([{ do: 'check' }], env);
    const [result] = await until(check, (results) => !JSON.stringify(results).includes('does not answer'));
    return result?.value;
  }

  it('proof 17: is refused with the reason, whether it was asked for or not', async () => {
    const reason = expect.stringContaining('gVisor (runsc) executes no program that its user cannot read');
    expect(await found()).toMatchObject({ ok: false, missing: [reason, expect.stringContaining('runsc')] });
    expect(await found({ PROBE_RUNTIME: 'runsc' })).toMatchObject({ ok: false, missing: [reason] });
    expect(engine.containers()).toEqual([]);
  });

  it('the reason is true: it runs a program that can be read, and refuses the same one when it cannot', () => {
    expect(run('readable')).toBe('it runs\n');
    expect(() => run('unreadable')).toThrow(/permission denied|failed/i);
  });
});

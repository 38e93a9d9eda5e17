import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAKE_WITHIN_MS, startEngine } from '../../support/engine/image-store.js';
import type { PodmanService } from '../../support/engine/podman-service.js';
import { FILE_PROBES } from './probes/files.js';
import { NETWORK_PROBES } from './probes/network.js';
import type { Probe } from './probes/probe.js';
import { BOMB_SIZES, BOMBS } from './probes/resources.js';
import { SYSTEM_CALL_PROBES } from './probes/system-calls.js';
import type { Outcome } from './support/execute-probe.js';
import { executeProbe } from './support/execute-probe.js';
import type { Recorders } from './support/recorders.js';
import { openRecorders } from './support/recorders.js';
import { answerOf, MODES, SandboxLab, type LabMode } from './support/sandbox-lab.js';

const QUIET = [...NETWORK_PROBES, ...SYSTEM_CALL_PROBES, ...FILE_PROBES];
const ALL = [...QUIET, ...BOMBS];
const SIZES = { memory_mb: 512, cpus: 1, disk_mb: 64, pids: 256 };
const CANARY = ['c4n4ry', `in-the-control-plane-${process.pid}`];
const MIN_PROBES = 60;

interface RunValue {
  exit: { exitCode: number | null; reason: string };
  output: string;
}

const controls = new Map<string, Outcome>();

/** The same code where nothing confines it: it has to succeed, or the probe proves nothing here. */
async function runControls(lab: SandboxLab, recorders: Recorders): Promise<void> {
  const env = {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: lab.folder,
    ...recorders.env,
    PROBE_SCRATCH: join(lab.folder, 'scratch'),
  };
  const secret = { PROBE_SECRET: CANARY.join('-') };
  for (const probe of ALL) {
    const asNobody = probe.controlAs === 'nobody' && process.getuid?.() === 0;
    const through = asNobody
      ? ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups', '--']
      : (probe.controlThrough ?? []);
    controls.set(probe.name, await executeProbe(probe, lab.nodeBinary, { ...env, ...secret }, through));
  }
}

function parseOutcomes(output: string): Outcome[] {
  return output
    .split('\n')
    .filter((line) => line.startsWith('PROBE '))
    .map((line) => JSON.parse(line.slice('PROBE '.length)) as Outcome);
}

/** Where the tests may have an engine of their own. */
const ENGINE_MODES: LabMode[] = process.getuid?.() === 0 ? ['docker'] : [];

describe.each([...MODES, ...ENGINE_MODES])('sandbox in %s mode', (mode) => {
  const inside = new Map<string, Outcome>();
  let engine: PodmanService | null = null;
  let lab: SandboxLab;
  let hitsInside = 0;
  let hitsOutside = 0;

  beforeAll(async () => {
    if (mode === 'docker') engine = await startEngine();
    lab = await SandboxLab.open(mode, engine?.socket);
    const extra = { PROBE_CANARY_A: CANARY[0] ?? '', PROBE_CANARY_B: CANARY[1] ?? '', PROBE_DATA_DIR: lab.dataDir };
    await using recorders = await openRecorders(lab.folder, extra);
    for (const folder of [join(lab.folder, 'scratch'), lab.dataDir])
      writeFileSync(join(folder, 'secret.txt'), CANARY.join('-'));
    if (controls.size === 0) await runControls(lab, recorders);
    hitsOutside = recorders.hits();
    await probeInside(recorders);
    hitsInside = recorders.hits() - hitsOutside;
  }, MAKE_WITHIN_MS);

  afterAll(async () => {
    await engine?.[Symbol.asyncDispose]();
    await lab?.[Symbol.asyncDispose]();
  });

  async function probeInside(recorders: Recorders): Promise<void> {
    const variables = (probes: Probe[]): Record<string, string> => ({
      MODE: 'probes',
      PROBES: JSON.stringify(probes),
      ENV: JSON.stringify(recorders.env),
    });
    const [quiet, ...bombs] = await lab.perform(
      [
        { do: 'run', runId: 'quiet', sizes: SIZES, variables: variables(QUIET) },
        ...BOMBS.map((bomb, index) => ({
          do: 'run' as const,
          runId: `bomb-${index}`,
          sizes: BOMB_SIZES,
          variables: variables([bomb]),
        })),
      ],
      { PROBE_SECRET: CANARY.join('-') },
    );
    for (const outcome of parseOutcomes(answerOf<RunValue>(quiet).output)) inside.set(outcome.name, outcome);
    bombs.forEach((bomb, index) => {
      const { name } = BOMBS[index] as Probe;
      const value = bomb.value as RunValue | undefined;
      const ended: Outcome = { name, result: 'blocked', detail: `sandbox: ${value?.exit.reason ?? bomb.error ?? ''}` };
      inside.set(name, parseOutcomes(value?.output ?? '')[0] ?? ended);
    });
  }

  it.each(ALL.map((probe) => probe.name))('holds against %s', (name) => {
    const outcome = inside.get(name);
    expect(outcome).toBeDefined();
    expect({ name, result: outcome?.result, detail: outcome?.detail }).toEqual({
      name,
      result: expect.stringMatching(/^(blocked|missing)$/),
      detail: outcome?.detail,
    });
  });

  it('proves it: at least 60 probes ran, and their controls succeed where nothing confines them', () => {
    const ran = [...inside.values()].filter((outcome) => outcome.result === 'blocked');
    const proven = ran.filter((outcome) => controls.get(outcome.name)?.result === 'reached');
    const without = ran
      .filter((outcome) => !proven.includes(outcome))
      .map((outcome) => `${outcome.name} (${controls.get(outcome.name)?.detail ?? ''})`);
    console.info(
      `${mode} mode: ${ran.length} of ${ALL.length} probes ran, ${proven.length} with a control that succeeds outside; without: ${without.join(', ') || 'none'}`,
    );
    console.info(BOMBS.map((bomb) => `${bomb.name}: ${inside.get(bomb.name)?.detail ?? ''}`).join('\n'));
    expect(ran.length).toBeGreaterThanOrEqual(MIN_PROBES);
    if (process.getuid?.() === 0) expect(proven.length).toBeGreaterThanOrEqual(MIN_PROBES);
  });

  it('let nothing reach the recorders, which do record', () => {
    expect(hitsInside).toBe(0);
    if (mode === MODES[0]) expect(hitsOutside).toBeGreaterThanOrEqual(5);
  });
});

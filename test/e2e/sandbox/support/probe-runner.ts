import { spawn } from 'node:child_process';
import { writeSync } from 'node:fs';
import { readHandOff } from '../../../../src/runner/launch/hand-off.js';
import { SANDBOX_PROFILES } from '../../../../src/runner/self-check/points.js';
import { runSelfCheck } from '../../../../src/runner/self-check/self-check.js';
import { passUnchecked } from '../../../support/sandbox/pass-unchecked.js';
import type { Probe } from '../probes/probe.js';
import { executeProbe } from './execute-probe.js';

/**
 * Stands in for the runner: inside a real sandbox it passes the self-check, then does what the hand-off says. Where nothing is isolated
 * there is nothing to check.
 */
const { variables } = readHandOff();
/** A provider that shows the workspace elsewhere says so. */
const workspace = variables['SERVICE_WORKSPACE'] ?? '/workspace';
const profile = SANDBOX_PROFILES.find((name) => name === variables['SERVICE_SANDBOX_PROFILE']) ?? 'bubblewrap';
const check = workspace === '/workspace' ? runSelfCheck(profile) : passUnchecked();
if (!check.ok) {
  console.log(check.point);
  process.exit(1);
}

const TOOL_NODE = '/opt/sandgate/node/bin/node';
const TOOL_ENVIRONMENT = {
  PATH: '/opt/sandgate/node/bin:/usr/sbin:/usr/bin:/bin',
  HOME: '/home/agent',
  PROBE_SCRATCH: workspace,
};
const env = { ...TOOL_ENVIRONMENT, ...(JSON.parse(variables['ENV'] ?? '{}') as Record<string, string>) };

const MODES: Record<string, () => Promise<void>> = {
  async probes() {
    for (const probe of JSON.parse(variables['PROBES'] ?? '[]') as Probe[]) {
      console.log(`PROBE ${JSON.stringify(await executeProbe(probe, TOOL_NODE, env))}`);
    }
  },
  async idle() {
    await new Promise((resolve) => setTimeout(resolve, 600_000));
  },
  /** Leaves a process behind that ignores its terminal and outlives its parent. */
  async background() {
    spawn('/bin/sh', ['-c', `trap "" HUP TERM INT; sleep ${variables['SECONDS']}`], {
      detached: true,
      stdio: 'ignore',
      env,
    }).unref();
    await new Promise((resolve) => setTimeout(resolve, 200));
  },
  flood() {
    const line = `${'x'.repeat(1023)}\n`;
    for (let index = 0; index < 3500; index++) writeSync(1, line);
    writeSync(1, 'the last line\n');
    return Promise.resolve();
  },
  async script() {
    const child = spawn('/bin/sh', ['-c', variables['SCRIPT'] ?? ''], { stdio: 'inherit', env, cwd: workspace });
    await new Promise((resolve) => child.once('exit', resolve));
  },
};

await MODES[variables['MODE'] ?? '']?.();
process.exit(Number(variables['EXIT'] ?? 0));

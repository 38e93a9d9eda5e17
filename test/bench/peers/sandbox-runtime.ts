import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { timeToFirstOutput } from '../load/first-output.js';
import { spreadOf } from '../load/percentiles.js';
import { atLeast, type RowFindings } from '../row.js';
import { sandbox } from '../rows/sandbox.js';
import { versionOf } from './installed-peers.js';

interface SandboxRuntime {
  SandboxManager: { checkDependencies(): { errors: string[] } };
}

const SETTINGS = {
  network: { allowedDomains: [], deniedDomains: [] },
  filesystem: { denyRead: [], allowWrite: ['/tmp'], denyWrite: [] },
};

/** Sandbox create → first command: the peer's own program, which sets its proxies up and starts the command. */
export async function compareSandboxes(folder: string, count: number): Promise<RowFindings> {
  const peer = versionOf('@anthropic-ai/sandbox-runtime');
  const entry = pathToFileURL(join(folder, 'dist', 'index.js')).href;
  const { SandboxManager } = (await import(entry)) as SandboxRuntime;
  const missing = SandboxManager.checkDependencies().errors;
  if (missing.length > 0)
    throw new Error(`not measured: ${peer}: ${missing.join('; ')}; install ripgrep and socat of this system`);
  const scratch = mkdtempSync(join(tmpdir(), 'sgb-'));
  const settings = join(scratch, 'settings.json');
  writeFileSync(settings, JSON.stringify(SETTINGS));
  const argv = [join(folder, 'dist', 'cli.js'), '--settings', settings, 'echo', 'passed'];
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    // Not here: it leaves mount points behind in the folder where it starts.
    times.push(await timeToFirstOutput(process.execPath, argv, scratch));
  }
  rmSync(scratch, { recursive: true, force: true });
  const theirs = spreadOf(times);
  const ours = await sandbox.measureAlone({ full: false, quick: false });
  const p50 = ours.values['p50']!;
  return {
    values: { p50, times_faster: theirs.p50 / p50 },
    unit: { p50: 'ms', times_faster: '×' },
    baseline: { p50: theirs.p50, p99: theirs.p99 },
    targets: [atLeast('times as fast', theirs.p50 / p50, 20, '×')],
    notes: [`${peer}, its command line with one settings file, Node's start included`],
  };
}

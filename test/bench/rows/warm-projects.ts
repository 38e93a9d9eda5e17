import { mkdtempSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Project } from '../../support/projects/project.js';
import { chosenProjects } from '../../support/projects/projects.js';
import { learnRegistries } from '../../support/projects/registries.js';
import { writeProject } from '../../support/projects/write-project.js';
import { BenchStack } from '../bench-stack.js';
import { timeFirstToolCall } from '../load/first-tool-call.js';
import { spreadOf } from '../load/percentiles.js';
import { atMost, type RowFindings } from '../row.js';
import type { AloneRow } from './bench-row.js';

const TASK = JSON.stringify([{ tool: 'Bash', input: { command: 'ls' } }]);
const LIMIT = 1.3;

/**
 * Create run → the agent's first tool call, for projects that others wrote: with what an earlier run's setup fetched and built, beside the
 * same workspace without a setup.
 */
export const warmProjects: AloneRow = {
  name: 'warm-projects',
  timeoutMs: 600_000,
  async measureAlone({ full, quick }) {
    const projects = chosenProjects(process.env['TEST_PROJECTS'] ?? (quick ? 'javascript' : 'all'));
    // Below the default root of local copies.
    const folder = mkdtempSync(join(homedir(), '.sandgate-bench-'));
    try {
      const { settings } = await learnRegistries(folder, projects.map(({ preset }) => preset)); // prettier-ignore
      await using stack = await BenchStack.start(settings);
      const findings: RowFindings = { values: {}, unit: {}, baseline: {}, targets: [], notes: [NOTE] };
      for (const project of projects) {
        const path = join(folder, project.language);
        await writeProject(project, path);
        add(findings, project.language, await measureProject(stack, project, path, full ? 15 : quick ? 1 : 5));
      }
      return findings;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

const NOTE =
  'from sending POST /v1/sessions to the first tool call of the agent on the record; warm and plain runs alternate';

interface Measured {
  cold: number;
  warm: number;
  plain: number;
}

async function measureProject(stack: BenchStack, project: Project, path: string, pairs: number): Promise<Measured> {
  const { language, preset } = project;
  const agent = {
    harness: 'replay',
    policy: 'unrestricted',
    // A grant of the network is for an hour and has to outlast the run.
    budgets: { max_wall_clock_secs: 1800 },
    network: { mode: 'approved', presets: [preset] },
  };
  const setup = { commands: project.setup, timeout_secs: 300 };
  await stack.json('POST', '/v1/agents', { ...agent, name: `plain-${language}` });
  await stack.json('POST', '/v1/agents', { ...agent, name: `warm-${language}`, setup });
  const play = (kind: string): Promise<number> =>
    timeFirstToolCall(stack, { agent: `${kind}-${language}`, task: TASK, workspace: { kind: 'local_copy', path } });
  const cold = await play('warm');
  await play('warm');
  await play('plain');
  const [warm, plain]: [number[], number[]] = [[], []];
  for (let pair = 0; pair < pairs; pair += 1) {
    plain.push(await play('plain'));
    warm.push(await play('warm'));
  }
  return { cold, warm: spreadOf(warm).p50, plain: spreadOf(plain).p50 };
}

function add({ values, unit, baseline, targets }: RowFindings, language: string, measured: Measured): void {
  const { cold, warm, plain } = measured;
  Object.assign(values, { [language]: warm, [`${language}_ratio`]: warm / plain, [`${language}_cold`]: cold });
  Object.assign(unit, {
    [language]: 'ms, p50',
    [`${language}_ratio`]: '× the same without a setup',
    [`${language}_cold`]: 'ms',
  });
  Object.assign(baseline, { [`${language}_without_setup`]: plain });
  targets.push(atMost(`${language}: first tool call of a warm run`, warm, LIMIT * plain, 'ms'));
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { ScriptedAnswer } from '../../../src/cli/demo/wire/model-script.js';
import { MAKE_WITHIN_MS } from '../../support/engine/image-store.js';
import { eventsOf } from '../../support/installation/timeline.js';
import type { Project } from '../../support/projects/project.js';
import { chosenProjects } from '../../support/projects/projects.js';
import { learnRegistries, type Registries } from '../../support/projects/registries.js';
import { startToolchains, type Toolchains } from '../../support/projects/toolchains.js';
import { writeProject } from '../../support/projects/write-project.js';
import { startBuiltinLab } from '../harnesses/support/builtin-lab.js';
import { bash, done, use, type MessagesLab } from '../harnesses/support/messages-lab.js';
import type { FinishedRun } from '../harnesses/support/harness-lab.js';

jest.setTimeout(600_000);

const ELSEWHERE = 'elsewhere.example';
const POLICY = `name: granting
defaults: { tool_action: allow }
budgets: { max_wall_clock_secs: 900 }
network: { max_mode: approved }
`;
/** Only root can lay one file system beneath another, so elsewhere every run is prepared anew. */
const keepsSetups = process.getuid?.() === 0;
const CHOSEN = chosenProjects();

/** What a model does that finds a failing test, repairs what it is about, and would then like to reach somewhere else. */
function repair({ test, fault }: Project): ScriptedAnswer[] {
  const file_path = `/workspace/${fault.file}`;
  return [
    bash('before', test),
    use('read', 'Read', { file_path }),
    use('edit', 'Edit', { file_path, old_string: fault.wrong, new_string: fault.right }),
    bash('after', test),
    bash('elsewhere', `curl --silent --show-error https://${ELSEWHERE}/`),
    done,
  ];
}

const describeChosen = CHOSEN.length > 0 ? describe : describe.skip;
/** Also why none is tried: they take registries and minutes. */
const WHAT = CHOSEN.length > 0 ? 'a project that others wrote' : 'projects of others: TEST_PROJECTS names none';

describeChosen(WHAT, () => {
  let folder: string;
  let registries: Registries;
  let toolchains: Toolchains;
  let lab: MessagesLab;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sg-projects-'));
    registries = await learnRegistries(folder, CHOSEN.map(({ preset }) => preset)); // prettier-ignore
    toolchains = await startToolchains();
    lab = await startBuiltinLab({
      ...registries.settings,
      ...toolchains.settings,
      SERVICE_LOCAL_COPY_ROOTS: folder,
    });
    await lab.stack.json('POST', '/v1/policies', { name: 'granting', yaml: POLICY });
  }, MAKE_WITHIN_MS);

  afterAll(async () => {
    await lab?.stop();
    await toolchains?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }, 120_000);

  /** Plays the repair, and says what is the same of every such run. */
  async function play(project: Project, mark: string, path: string): Promise<FinishedRun<{ text: string }>> {
    const run = await lab.perform(mark, repair(project), {
      agent: project.language,
      workspace: { kind: 'local_copy', path },
    });
    const { status, status_reason: reason, result_summary: said } = run.session;
    expect([status, reason, said]).toEqual(['completed', 'the runner reported its result', 'Done.']);
    expect(run.results['toolu_before']?.text).toMatch(project.says.broken);
    expect(run.results['toolu_after']?.text).toMatch(project.says.well);
    expect(run.results['toolu_after']?.text).not.toMatch(project.says.broken);
    const { file, right, wrong } = project.fault;
    expect(run.diff.match(/^diff --git .*$/gm)).toEqual([`diff --git a/${file} b/${file}`]);
    const [taken, put, ...more] = run.diff.split('\n').filter((line) => /^[-+](?![-+]{2} )/.test(line));
    expect(taken).toMatch(/^-/);
    expect(taken).toContain(wrong.trimEnd());
    expect([put, ...more]).toEqual([`+${taken?.slice(1).replace(wrong.trimEnd(), right.trimEnd())}`]);
    expect(run.results['toolu_elsewhere']?.text).toContain(ELSEWHERE);
    expect(eventsOf(run.timeline, 'network.denied')).toMatchObject([{ target: ELSEWHERE, port: 443, rule: 'target' }]);
    return run;
  }

  it.each(CHOSEN.map((project) => [project.language, project] as const))(
    'proof 16 in %s gets its dependencies by preset and nothing else, is repaired, and the second run starts with them',
    async (language, project) => {
      const path = join(folder, language);
      await writeProject(project, path);
      await lab.createAgent(language, {
        policy: 'granting',
        network: { mode: 'approved', presets: [project.preset] },
        setup: { commands: project.setup, timeout_secs: 300 },
      });

      const first = await play(project, `${language}-cold`, path);
      const commands = eventsOf(first.timeline, 'setup.command');
      expect(commands.map((data) => data['exit_code'])).toEqual(project.setup.map(() => 0));
      const reached = eventsOf(first.timeline, 'network.allowed').map(({ target, port }) => [target, port].join(':'));
      expect(reached).not.toEqual([]);
      expect(registries.targets[project.preset]).toEqual(expect.arrayContaining(reached));
      if (!keepsSetups) return;
      expect(eventsOf(first.timeline, 'setup.kept')).toMatchObject([{ kept: true }]);

      const second = await play(project, `${language}-warm`, path);
      expect(eventsOf(second.timeline, 'setup.reused')).toMatchObject([{ made_by: first.id }]);
      const kinds = second.timeline.map(({ type }) => type);
      expect(kinds).not.toContain('setup.started');
      expect(kinds).not.toContain('network.allowed');
    },
  );
});

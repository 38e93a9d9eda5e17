import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { installationFolder } from '../../../../src/platform/host/installation-folder.js';
import { CliContext } from '../context/cli-context.js';
import type { Schemas } from '../server/schemas.js';
import { EXIT, CliError } from '../terminal/exit-codes.js';

/** Signed addresses live by the clock; beyond this they may end early. */
const MAX_SKEW_MS = 60_000;

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

interface Check {
  check: string;
  result: 'ok' | 'failed' | 'skipped';
  detail: string;
}

/** `doctor`, `usage`, `version` and `completion`. */
export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('try the API, the credential, the clocks, the store and, beside an API of this host, its sandbox')
    .action(async (_options, command: Command) => {
      const context = CliContext.open(command.optsWithGlobals());
      const checks = await examine(context);
      context.printRows(checks, { Check: 'check', Result: 'result', Detail: 'detail' });
      if (checks.some(({ result }) => result === 'failed')) process.exitCode = EXIT.error;
    });
  program
    .command('usage')
    .description('what the organization uses of its quotas')
    .action(async (_options, command: Command) => {
      const context = CliContext.open(command.optsWithGlobals());
      const { usage } = await context.api.object<Schemas['UsageView']>('/api/usage');
      const columns = { Kind: 'kind', Used: 'used', Limit: 'limit', Warning: 'warning' };
      context.printRows(usage, columns);
    });
  program
    .command('version')
    .description('print the version of this client')
    .action(() => void process.stdout.write(`${ownVersion()}\n`));
  program
    .command('completion')
    .description('print completion for bash: eval "$(docsvc completion)"')
    .action(() => void process.stdout.write(completionOf(program)));
}

export function ownVersion(): string {
  const path = join(installationFolder('documents', 'package.json'), 'package.json');
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version;
}

async function examine(context: CliContext): Promise<Check[]> {
  const url = context.settings['defaults.api_url'];
  return [...(await examineApi(context, url)), await examineSandbox(url)];
}

async function examineApi(context: CliContext, url: string): Promise<Check[]> {
  const reached = await attempt('API', async () => {
    const answer = await fetch(`${url}/api/health/ready`, { redirect: 'error' });
    if (!answer.ok) throw new CliError(`${url} answered ${answer.status}: it is not ready`);
    return { detail: url, at: answer.headers.get('date') };
  });
  if (reached.check.result === 'failed')
    return [reached.check, ...['credential', 'clock', 'store'].map((check) => skipped(check))];
  const who = await attempt('credential', async () => {
    const { role, orgId } = await context.api.object<Schemas['MeView']>('/api/me');
    return { detail: `role ${role} of organization ${orgId}`, at: null };
  });
  const clock = await attempt('clock', () => Promise.resolve(compareClocks(reached.at)));
  const project = context.settings['defaults.project'];
  const store =
    project === null || who.check.result === 'failed'
      ? skipped('store')
      : (await attempt('store', async () => tryStore(context, project))).check;
  return [reached.check, who.check, clock.check, store];
}

/** Workers open documents in a sandbox or not at all. Where they are is known only when the API is on this host. */
async function examineSandbox(url: string): Promise<Check> {
  if (!LOOPBACK.test(new URL(url).hostname))
    return { check: 'sandbox', result: 'skipped', detail: 'the API is on another host; try it there' };
  const { check } = await attempt('sandbox', async () => {
    // What a client on another host never needs is not loaded there.
    const { trySandbox } = await import('../../embedded/try-sandbox.js');
    await trySandbox();
    return { detail: 'documents can be opened on this host', at: null };
  });
  return check;
}

/** Opens an upload of one byte and ends it again. */
async function tryStore(context: CliContext, project: string): Promise<{ detail: string; at: null }> {
  const body = { name: 'docsvc doctor', sizeBytes: 1 };
  const path = `/api/projects/${encodeURIComponent(project)}/uploads`;
  const { id, transport } = await context.api.object<Schemas['OpenedUpload']>(path, {
    method: 'POST',
    body,
  });
  await context.api.request(`/api/uploads/${id}`, { method: 'DELETE' });
  return { detail: `takes uploads, ${transport}`, at: null };
}

function compareClocks(date: string | null): { detail: string; at: null } {
  const skewMs = date === null ? 0 : Math.abs(Date.parse(date) - Date.now());
  if (skewMs > MAX_SKEW_MS)
    throw new CliError(`the clocks of this host and the API are ${Math.round(skewMs / 1_000)} s apart; set them`);
  return { detail: `within ${Math.ceil(skewMs / 1_000)} s`, at: null };
}

async function attempt(
  check: string,
  work: () => Promise<{ detail: string; at: string | null }>,
): Promise<{ check: Check; at: string | null }> {
  try {
    const { detail, at } = await work();
    return { check: { check, result: 'ok', detail }, at };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { check: { check, result: 'failed', detail }, at: null };
  }
}

function skipped(check: string): Check {
  return { check, result: 'skipped', detail: 'what it needs is missing: an API, a credential or a project' };
}

function completionOf(program: Command): string {
  const groups = program.commands.map((command) => {
    const words = command.commands.map((inner) => inner.name());
    return `    ${command.name()}) words="${words.join(' ')}" ;;`;
  });
  const names = program.commands.map((command) => command.name()).join(' ');
  return [
    '_docsvc() {',
    `  local words="${names}"`,
    '  if [ "$COMP_CWORD" -gt 1 ]; then',
    '    words=""',
    '    [ "$COMP_CWORD" -eq 2 ] && case "${COMP_WORDS[1]}" in',
    ...groups,
    '    esac',
    '  fi',
    '  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))',
    '}',
    'complete -o default -F _docsvc docsvc',
    '',
  ].join('\n');
}

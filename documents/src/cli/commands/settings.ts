import type { Command } from 'commander';
import { isUuid } from '../../../../src/domain/uuid.js';
import { CliContext } from '../context/cli-context.js';
import { keepClient } from '../credentials/choose-credential.js';
import type { Schemas } from '../server/schemas.js';
import { writeSetting } from '../settings/config-files.js';
import { isSettingKey, SETTING_KEYS, SETTINGS, type SettingKey } from '../settings/setting-keys.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { groupOf } from '../verbs/verb.js';

/** `config`, `use` (DI-026), `init`, and the credentials of machines. */
export function addSettings(program: Command): void {
  const config = groupOf(program, 'config').description('settings of this client');
  config
    .command('get <key>')
    .description('print a setting in effect')
    .action((key: string, _options, command: Command) => {
      const context = CliContext.of(command);
      context.print(String(context.settings[keyOf(key)] ?? ''));
    });
  config
    .command('set <key> <value>')
    .description('write a setting of the user, or with --local of this folder')
    .option('--local', 'into ./.docsvc.toml')
    .action((key: string, value: string, { local }: { local?: boolean }, command: Command) => {
      const { places } = CliContext.of(command);
      writeSetting(local === true ? places.project : places.user, keyOf(key), valueOf(keyOf(key), value));
    });
  config
    .command('list')
    .description('print every setting in effect')
    .option('--origin', 'and which layer set it')
    .action(({ origin }: { origin?: boolean }, command: Command) =>
      listSettings(CliContext.of(command), origin === true),
    );
  config
    .command('path')
    .description('print where the files of settings are')
    .action((_options, command: Command) => {
      const context = CliContext.of(command);
      const { user, project } = context.places;
      context.printRecord({ user, project }, { User: 'user', Project: 'project' });
    });
  program
    .command('use <project>')
    .description('remember a project, by id or name, in ./.docsvc.toml')
    .action(async (named: string, _options, command: Command) => {
      const context = CliContext.of(command);
      const project = await findProject(context, named);
      writeSetting(context.places.project, 'defaults.project', project.id);
      context.note(`this folder uses ${project.name} (${project.id})`);
    });
  program
    .command('init')
    .description('write ./.docsvc.toml with the API in use')
    .action((_options, command: Command) => {
      const context = CliContext.of(command);
      const { 'defaults.api_url': url, 'defaults.project': project } = context.settings;
      writeSetting(context.places.project, 'defaults.api_url', url);
      if (project !== null) writeSetting(context.places.project, 'defaults.project', project);
      context.note(`wrote ${context.places.project}`);
    });
  addLogin(program);
}

function addLogin(program: Command): void {
  program
    .command('login')
    .description('keep a client id and secret, for the API in use alone')
    .action(async (_options, command: Command) => {
      const { clientId, clientSecret } = command.optsWithGlobals<{ clientId?: string; clientSecret?: string }>();
      if (clientId === undefined || clientSecret === undefined)
        throw new CliError(
          'signing in with a browser comes with a later release; give --client-id and --client-secret',
          EXIT.error,
        );
      const context = CliContext.of(command);
      await context.api.object('/api/me');
      keepClient(context.places.secrets, context.origin, { clientId, clientSecret });
      context.note(`${context.origin} is asked with ${clientId} from now on`);
    });
  program
    .command('logout')
    .description('forget the client that is kept for the API in use')
    .action((_options, command: Command) => {
      const context = CliContext.of(command);
      keepClient(context.places.secrets, context.origin, null);
    });
}

function listSettings(context: CliContext, withOrigin: boolean): void {
  const rows = SETTING_KEYS.map((key) => {
    const { value, layer, source } = context.resolved[key];
    return { key, value, layer, source };
  });
  const origin = withOrigin ? { Origin: 'layer', Source: 'source' } : {};
  context.printRows(rows, { Key: 'key', Value: 'value', ...origin });
}

/** @throws CliError `notFound`, `conflict` when several have the name */
async function findProject(context: CliContext, named: string): Promise<Schemas['ProjectView']> {
  if (isUuid(named)) {
    return context.api.object<Schemas['ProjectView']>(`/api/projects/${named}`);
  }
  const found = await context.api.rows<Schemas['ProjectView']>('/api/projects', { name: named });
  const [project] = found;
  if (project === undefined) throw new CliError(`there is no project named ${named}`, EXIT.notFound);
  if (found.length > 1) throw new CliError(`${found.length} projects are named ${named}; use an id`, EXIT.conflict);
  return project;
}

function keyOf(text: string): SettingKey {
  if (isSettingKey(text)) return text;
  throw new CliError(`there is no setting ${text}; there are ${SETTING_KEYS.join(', ')}`, EXIT.usage);
}

function valueOf(key: SettingKey, text: string): string | number {
  const value = SETTINGS[key].read(text);
  if (value !== undefined && value !== null) return value;
  throw new CliError(`${key} takes ${SETTINGS[key].takes}`, EXIT.usage);
}

import type { Command } from 'commander';
import type { JsonValue } from '../../domain/json.js';
import { isUuid } from '../../domain/uuid.js';
import { isLongPart, onlyMatch } from '../server/only-match.js';
import type { SandgateClient } from '../server/sandgate-client.js';
import type { Idp, IdpChange, NewIdp } from '../server/wire.js';
import { wordsOf } from '../terminal/arguments.js';
import { inline } from '../terminal/escape.js';
import { printDocument, write } from '../terminal/output.js';
import { readSecret } from '../terminal/read-secret.js';
import { readDocument } from './document.js';
import { printProvider, printProviders } from './idp-print.js';
import { contextOf, type CommandContext } from './program-context.js';

const ORG = 'slug of the organization';
const PROVIDER = 'generation, id, or its beginning or end';

interface IdpFlags {
  readonly auth?: NewIdp['token_endpoint_auth'];
  readonly withSecret?: boolean;
  readonly scopes?: string[];
  readonly algorithms?: string[];
  readonly mappings?: string;
  readonly owner?: string;
}

interface NewIdpFlags extends IdpFlags {
  readonly issuer: string;
  readonly client: string;
  readonly carryForward?: boolean;
}

/** Identity providers of organizations. */
export function registerAdminIdpCommands(admin: Command): void {
  const idp = admin.command('idp').description('Identity providers of organizations.');
  idp
    .command('list')
    .description('List them.')
    .argument('<org>', ORG)
    .action((slug: string, _flags: unknown, command: Command) => list(slug, contextOf(command)));
  newProvider(idp.command('add'))
    .description('Add a provider, asked and checked now; nobody signs in with it before it is activated.')
    .argument('<org>', ORG)
    .action((slug: string, flags: NewIdpFlags, command: Command) => add(slug, flags, contextOf(command)));
  withSettings(idp.command('change'))
    .description('Change a provider; another issuer or client is a migration.')
    .argument('<org>', ORG)
    .argument('<provider>', PROVIDER)
    .option('--disarm', 'no address is armed any more')
    .action((slug: string, key: string, flags: IdpFlags & { disarm?: boolean }, command: Command) =>
      change({ slug, key }, flags, contextOf(command)),
    );
  const moves = [
    ['activate', 'Let people sign in with a staged provider.'],
    ['disable', 'Let nobody sign in with the active provider, and end its sessions.'],
    ['reactivate', 'Let people sign in with a disabled provider again.'],
  ] as const;
  for (const [to, about] of moves)
    idp
      .command(to)
      .description(about)
      .argument('<org>', ORG)
      .argument('<provider>', PROVIDER)
      .action((slug: string, key: string, _flags: unknown, command: Command) =>
        move({ slug, key }, to, contextOf(command)),
      );
  newProvider(idp.command('migrate'))
    .description('Put another issuer in the place of the active one.')
    .argument('<org>', ORG)
    .argument('<provider>', PROVIDER)
    .option('--carry-forward', 'the members of the old one stay members, with their tokens')
    .action((slug: string, key: string, flags: NewIdpFlags, command: Command) =>
      migrate({ slug, key }, flags, contextOf(command)),
    );
}

function newProvider(command: Command): Command {
  return withSettings(
    command
      .requiredOption('--issuer <url>', 'as the provider writes it')
      .requiredOption('--client <id>', 'our id at the provider'),
  );
}

function withSettings(command: Command): Command {
  return command
    .option('--auth <method>', 'client_secret_basic (default), client_secret_post or none')
    .option('--with-secret', 'standard input holds the client secret')
    .option('--scopes <words>', 'what is asked for; openid email profile when left out', wordsOf)
    .option('--algorithms <words>', 'signatures that are taken', wordsOf)
    .option('--mappings <file>', 'claim mappings, YAML or JSON')
    .option('--owner <address>', 'arm this e-mail address: its next verified login becomes the first owner');
}

async function list(slug: string, { client, format }: CommandContext): Promise<void> {
  printProviders(format, await providersOf(client, slug));
}

async function add(slug: string, flags: NewIdpFlags, { client, format }: CommandContext): Promise<void> {
  const send = { params: { path: { slug } }, body: await newIdp(flags) };
  const { idp } = await client.call((api) => api.POST('/v1/admin/orgs/{slug}/idp', send));
  printProvider(format, idp);
  if (format === 'table') write(`Next: sandgate admin idp activate ${inline(slug)} ${idp.generation}`);
}

interface Named {
  slug: string;
  key: string;
}

async function change(
  named: Named,
  flags: IdpFlags & { disarm?: boolean },
  { client, format }: CommandContext,
): Promise<void> {
  const path = await pathOf(client, named);
  const secret = flags.withSecret === true ? { client_secret: await secretOf(true) } : {};
  const none = flags.auth === 'none' ? { client_secret: null } : {};
  const body: IdpChange = {
    ...settingsOf(flags),
    ...none,
    ...secret,
    ...(flags.disarm === true ? { bootstrap_owner_email: null } : {}),
  };
  const { idp } = await client.call((api) => api.PATCH('/v1/admin/orgs/{slug}/idp/{id}', { params: { path }, body }));
  printProvider(format, idp);
}

async function move(
  named: Named,
  to: 'activate' | 'disable' | 'reactivate',
  { client, format }: CommandContext,
): Promise<void> {
  const send = { params: { path: await pathOf(client, named) } };
  if (to === 'disable') {
    const ended = await client.call((api) => api.POST('/v1/admin/orgs/{slug}/idp/{id}/disable', send));
    if (format !== 'table') return printDocument(format, ended);
    return write(`disabled; ${ended.sessions_revoked} browser sessions and ${ended.flows_cancelled} logins ended`);
  }
  const asked =
    to === 'activate'
      ? client.call((api) => api.POST('/v1/admin/orgs/{slug}/idp/{id}/activate', send))
      : client.call((api) => api.POST('/v1/admin/orgs/{slug}/idp/{id}/reactivate', send));
  printProvider(format, (await asked).idp);
}

async function migrate(named: Named, flags: NewIdpFlags, { client, format }: CommandContext): Promise<void> {
  const path = await pathOf(client, named);
  const body = { ...(await newIdp(flags)), carry_forward: flags.carryForward === true };
  const migrated = await client.call((api) =>
    api.POST('/v1/admin/orgs/{slug}/idp/{id}/migrate', { params: { path }, body }),
  );
  if (format !== 'table') return printDocument(format, migrated);
  printProvider(format, migrated.new_config);
  const { sessions_revoked: sessions, memberships_deactivated: members } = migrated;
  write(`${sessions} browser sessions ended, ${members} members deactivated`);
}

async function newIdp(flags: NewIdpFlags): Promise<NewIdp> {
  const { issuer, client, auth = 'client_secret_basic', withSecret } = flags;
  const secret = auth === 'none' ? {} : { client_secret: await secretOf(withSecret === true) };
  return { issuer, client_id: client, ...settingsOf(flags), token_endpoint_auth: auth, ...secret };
}

function settingsOf({ auth, scopes, algorithms, mappings, owner }: IdpFlags): Omit<IdpChange, 'client_secret'> {
  return {
    ...(auth === undefined ? {} : { token_endpoint_auth: auth }),
    ...(scopes === undefined ? {} : { scopes }),
    ...(algorithms === undefined ? {} : { alg_allowlist: algorithms as NonNullable<IdpChange['alg_allowlist']> }),
    ...(mappings === undefined ? {} : { claim_mappings: readDocument(mappings) as Record<string, JsonValue> }),
    ...(owner === undefined ? {} : { bootstrap_owner_email: owner }),
  };
}

function secretOf(fromInput: boolean): Promise<string> {
  return readSecret({ what: 'the client secret', option: '--with-secret', fromInput });
}

async function providersOf(client: SandgateClient, slug: string): Promise<Idp[]> {
  return (await client.call((api) => api.GET('/v1/admin/orgs/{slug}/idp', { params: { path: { slug } } }))).idp_configs;
}

async function pathOf(client: SandgateClient, { slug, key }: Named): Promise<{ slug: string; id: string }> {
  if (isUuid(key)) return { slug, id: key.toLowerCase() };
  const all = await providersOf(client, slug);
  const matches = all.filter(({ id, generation }) => String(generation) === key || isLongPart(id, key));
  const { id } = onlyMatch(matches, {
    none: `${inline(slug)} has no identity provider ${inline(key)}`,
    several: `several providers are called ${inline(key)}; give the id`,
  });
  return { slug, id };
}

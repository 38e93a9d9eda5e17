import type { Command } from 'commander';
import { isUuid } from '../../domain/uuid.js';
import { findMember, listOwnAudit, ownPlane } from '../server/org-plane.js';
import { isLongPart, onlyMatch } from '../server/only-match.js';
import { shortId } from '../server/runs.js';
import type { SandgateClient } from '../server/sandgate-client.js';
import type { MemberToken } from '../server/wire.js';
import { wholeNumber } from '../terminal/arguments.js';
import { inline } from '../terminal/escape.js';
import { printDocument, printRows, write } from '../terminal/output.js';
import { printOrg } from './admin-orgs.js';
import { auditQuery, printAudit, withAuditOptions, type AuditFlags } from './audit-entries.js';
import { printProviders } from './idp-print.js';
import { addMemberCommands } from './member-commands.js';
import { contextOf, type CommandContext } from './program-context.js';

const ALL = 1000;

export function registerOrgCommands(program: Command): void {
  const org = program
    .command('org')
    .description('The own organization: its members, their sessions and tokens, its log.');
  org
    .command('show', { isDefault: true })
    .description('Show the organization.')
    .action((_flags: unknown, command: Command) => show(contextOf(command)));
  addMemberCommands(org.command('members').description('Members, their roles and browser sessions.'), 'own');
  const tokens = org.command('tokens').description('Personal access tokens of members.');
  tokens
    .command('list', { isDefault: true })
    .description('List them, newest first.')
    .option('--member <member>', 'only those of this member, by e-mail address or id')
    .option('--limit <n>', 'at most so many', wholeNumber, 100)
    .action((flags: TokenFlags, command: Command) => listTokens(flags, contextOf(command)));
  tokens
    .command('revoke')
    .description('Revoke a token of a member.')
    .argument('<token>', 'id, or its beginning or end')
    .action((key: string, _flags: unknown, command: Command) => revokeToken(key, contextOf(command)));
  org
    .command('idp')
    .description('Show the identity providers of the organization, which the operator manages.')
    .action((_flags: unknown, command: Command) => showProviders(contextOf(command)));
  withAuditOptions(org.command('audit').description('Read the log of privileged steps.')).action(
    async (flags: AuditFlags, command: Command) => {
      const { client, format } = contextOf(command);
      printAudit(format, await listOwnAudit(client, auditQuery(flags)));
    },
  );
}

interface TokenFlags {
  readonly member?: string;
  readonly limit: number;
}

async function show({ client, format }: CommandContext): Promise<void> {
  printOrg(format, (await client.call((api) => api.GET('/v1/org'))).org);
}

async function showProviders({ client, format }: CommandContext): Promise<void> {
  const { idp_configs: providers } = await client.call((api) => api.GET('/v1/org/idp'));
  printProviders(format, providers);
}

async function listTokens({ member, limit }: TokenFlags, { client, format }: CommandContext): Promise<void> {
  const of = member === undefined ? {} : { member: await findMember(ownPlane(client), member) };
  const columns = [
    { title: 'TOKEN', value: ({ id }: MemberToken) => shortId(id) },
    { title: 'OF', value: (token: MemberToken) => token.email ?? shortId(token.user_id), width: 40 },
    { title: 'NAME', value: (token: MemberToken) => token.name, width: 30 },
    { title: 'BEGINS', value: (token: MemberToken) => token.display_prefix },
    { title: 'LAST USED', value: (token: MemberToken) => token.last_used_at?.slice(0, 16) ?? 'never' },
    { title: 'ENDS', value: (token: MemberToken) => endOf(token) },
  ];
  printRows(format, await readTokens(client, { ...of, limit }), columns, 'No tokens.');
}

function endOf({ revoked_at: revoked, expires_at: expires }: MemberToken): string {
  return revoked === null ? expires.slice(0, 16) : 'revoked';
}

async function readTokens(client: SandgateClient, query: { member?: string; limit: number }): Promise<MemberToken[]> {
  return (await client.call((api) => api.GET('/v1/org/tokens', { params: { query } }))).tokens;
}

async function revokeToken(key: string, { client, format }: CommandContext): Promise<void> {
  const id = isUuid(key) ? key.toLowerCase() : await findToken(client, key);
  const revoked = await client.call((api) => api.DELETE('/v1/org/tokens/{id}', { params: { path: { id } } }));
  if (format !== 'table') printDocument(format, revoked);
  else write(`token ${revoked.id} is revoked`);
}

async function findToken(client: SandgateClient, key: string): Promise<string> {
  const live = (await readTokens(client, { limit: ALL })).filter(({ revoked_at: revoked }) => revoked === null);
  return onlyMatch(
    live.filter(({ id }) => isLongPart(id, key)),
    {
      none: `no token has an id like ${inline(key)}`,
      several: `several tokens have an id like ${inline(key)}; give more of it`,
    },
  ).id;
}

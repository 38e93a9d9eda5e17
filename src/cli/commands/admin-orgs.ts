import type { Command } from 'commander';
import { listAdminAudit } from '../server/org-plane.js';
import type { SandgateClient } from '../server/sandgate-client.js';
import type { Org } from '../server/wire.js';
import { inline } from '../terminal/escape.js';
import { printDocument, printRecord, printRows, write, type OutputFormat } from '../terminal/output.js';
import { auditQuery, printAudit, withAuditOptions, type AuditFlags } from './audit-entries.js';
import { addMemberCommands } from './member-commands.js';
import { contextOf } from './program-context.js';

const ORG = 'slug of the organization';
const PAGE = 1000;

/** Organizations of the deployment, their members, their first owners and the log. */
export function registerAdminOrgCommands(admin: Command): void {
  registerOrgs(admin.command('orgs').description('Organizations of the deployment.'));
  addMemberCommands(
    admin.command('members').description('Members of organizations, their roles and browser sessions.'),
    'operator',
  );
  admin
    .command('break-glass')
    .description('Arm an e-mail address for seven days: its next verified login becomes the first owner.')
    .argument('<org>', ORG)
    .argument('<email>', 'as the identity provider has it')
    .action(async (slug: string, email: string, _flags: unknown, command: Command) => {
      const { client, format } = contextOf(command);
      const send = { params: { path: { slug } }, body: { email } };
      const armed = await client.call((api) => api.POST('/v1/admin/orgs/{slug}/break-glass-owner', send));
      if (format !== 'table') return printDocument(format, armed);
      write(`armed until ${armed.expires_at}: the next verified login with ${inline(email)} becomes owner`);
    });
  withAuditOptions(admin.command('audit').description('Read the log of privileged steps.'))
    .option('--org <slug>', 'only of this organization')
    .action(async (flags: AuditFlags & { org?: string }, command: Command) => {
      const { client, format } = contextOf(command);
      const of = flags.org === undefined ? {} : { org: flags.org };
      printAudit(format, await listAdminAudit(client, { ...auditQuery(flags), ...of }));
    });
}

function registerOrgs(orgs: Command): void {
  orgs
    .command('list', { isDefault: true })
    .description('List organizations, oldest first.')
    .action(async (_flags: unknown, command: Command) => {
      const { client, format } = contextOf(command);
      printOrgs(format, await allOrgs(client));
    });
  orgs
    .command('show')
    .description('Show an organization.')
    .argument('<org>', ORG)
    .action(async (slug: string, _flags: unknown, command: Command) => {
      const { client, format } = contextOf(command);
      const send = { params: { path: { slug } } };
      printOrg(format, (await client.call((api) => api.GET('/v1/admin/orgs/{slug}', send))).org);
    });
  orgs
    .command('create')
    .description('Make an organization, with its policies and its first agent.')
    .argument('<slug>', 'short name, for good: a-z, 0-9 and -')
    .option('--name <name>', 'full name; the slug otherwise')
    .action(async (slug: string, flags: { name?: string }, command: Command) => {
      const { client, format } = contextOf(command);
      const body = { slug, ...(flags.name === undefined ? {} : { display_name: flags.name }) };
      const { org } = await client.call((api) => api.POST('/v1/admin/orgs', { body }));
      if (format !== 'table') return printDocument(format, org);
      write(`${inline(org.slug)} ${org.id}`);
    });
  orgs
    .command('rename')
    .description('Give an organization another full name.')
    .argument('<org>', ORG)
    .argument('[name]', 'removed when left out')
    .action(async (slug: string, name: string | undefined, _flags: unknown, command: Command) => {
      const { client, format } = contextOf(command);
      const send = { params: { path: { slug } }, body: { display_name: name ?? null } };
      printOrg(format, (await client.call((api) => api.PATCH('/v1/admin/orgs/{slug}', send))).org);
    });
  for (const to of ['suspend', 'resume'] as const)
    orgs
      .command(to)
      .description(
        to === 'suspend'
          ? 'Keep its people out, and let it start no runs; those under way go on.'
          : 'Let a suspended organization work again.',
      )
      .argument('<org>', ORG)
      .action(async (slug: string, _flags: unknown, command: Command) => {
        const { client, format } = contextOf(command);
        const send = { params: { path: { slug } } };
        const asked =
          to === 'suspend'
            ? client.call((api) => api.POST('/v1/admin/orgs/{slug}/suspend', send))
            : client.call((api) => api.POST('/v1/admin/orgs/{slug}/resume', send));
        printOrg(format, (await asked).org);
      });
}

async function allOrgs(client: SandgateClient): Promise<Org[]> {
  const found: Org[] = [];
  for (let after: string | undefined; ;) {
    const query = { limit: PAGE, ...(after === undefined ? {} : { after }) };
    const { orgs } = await client.call((api) => api.GET('/v1/admin/orgs', { params: { query } }));
    found.push(...orgs);
    after = orgs.at(-1)?.id;
    if (orgs.length < PAGE) return found;
  }
}

function printOrgs(format: OutputFormat, orgs: readonly Org[]): void {
  const columns = [
    { title: 'ORG', value: ({ slug }: Org) => slug },
    { title: 'NAME', value: (org: Org) => org.display_name ?? '', width: 40 },
    { title: 'STATUS', value: ({ status }: Org) => status },
    { title: 'CREATED', value: (org: Org) => org.created_at.slice(0, 10) },
    { title: 'ID', value: ({ id }: Org) => id },
  ];
  printRows(format, orgs, columns, 'No organizations.');
}

/** One, of the deployment or the own. */
export function printOrg(format: OutputFormat, org: Org): void {
  printRecord(format, org, [
    ['slug', org.slug],
    ['name', org.display_name ?? ''],
    ['status', org.status],
    ['id', org.id],
    ['created', org.created_at],
  ]);
}

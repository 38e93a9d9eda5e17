import type { Command } from 'commander';
import { contextOf } from '../program-context.js';
import { dataDirOf } from '../server/connection.js';
import { inline } from '../terminal/escape.js';
import { printDocument, write } from '../terminal/output.js';

export function registerAdminCommands(program: Command): void {
  const admin = program.command('admin').description('What only the operator of the deployment does.');
  const organizations = admin.command('org').description('Organizations of the deployment.');
  organizations
    .command('create')
    .description('Create an organization with its policies and its first agent, straight in the database.')
    .argument('<slug>', 'short name: a-z, 0-9 and -')
    .option('--name <name>', 'full name; the slug otherwise')
    .action(async (slug: string, flags: { name?: string }, command: Command) => {
      const { flags: connection, format } = contextOf(command);
      // The database layer takes a while to load, and only this command needs it.
      const { createOrganization } = await import('../../embedded/create-organization.js');
      const made = await createOrganization(process.env, dataDirOf(connection, process.env), slug, flags.name ?? slug);
      if (format === 'table') write(`${inline(made.slug)} ${made.id}`);
      else printDocument(format, made);
    });
}

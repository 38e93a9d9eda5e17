import type { Command } from 'commander';
import type { ImportDocuments } from '../../domain/catalog/import-connectors.js';
import type { JsonValue } from '../../domain/json.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { registerAdminIdpCommands } from './admin-idp.js';
import { registerAdminOrgCommands } from './admin-orgs.js';
import { contextOf } from './program-context.js';
import { dataDirOf } from '../server/connection.js';
import { printDocument, write } from '../terminal/output.js';
import { readDocument } from './document.js';

export function registerAdminCommands(program: Command): void {
  const admin = program.command('admin').description('What only the operator of the deployment does.');
  registerAdminOrgCommands(admin);
  registerAdminIdpCommands(admin);
  const catalog = admin.command('catalog').description('Connectors of the whole deployment.');
  catalog
    .command('import')
    .description('Import connectors from saved listings, straight in the database; nothing is fetched.')
    .option('--registry <file>', 'a listing of the MCP registry, JSON')
    .option('--providers <file>', 'providers that speak REST alone, JSON; listed for reference')
    .action(async (files: ImportFiles, command: Command) => {
      const { flags: connection, format } = contextOf(command);
      if (files.registry === undefined && files.providers === undefined) {
        throw new CliError('name a document with --registry or --providers', EXIT.usage);
      }
      const { importCatalog } = await import('../../embedded/import-catalog.js');
      const counts = await importCatalog(process.env, dataDirOf(connection, process.env), documentsIn(files));
      if (format !== 'table') return printDocument(format, counts);
      write(`${counts.added} added, ${counts.refreshed} refreshed, ${counts.kept} left as curated`);
    });
}

interface ImportFiles {
  readonly registry?: string;
  readonly providers?: string;
}

function documentsIn({ registry, providers }: ImportFiles): Partial<ImportDocuments> {
  return {
    ...(registry === undefined ? {} : { registry: readDocument(registry) as JsonValue }),
    ...(providers === undefined ? {} : { providers: readDocument(providers) as JsonValue }),
  };
}

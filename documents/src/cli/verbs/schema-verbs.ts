import { isUuid } from '../../../../src/domain/uuid.js';
import type { CliContext } from '../context/cli-context.js';
import type { Schemas } from '../server/schemas.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { textOf, type Verb } from './verb.js';

const SCHEMA = {
  ...{ ID: 'id', Name: 'name', Version: 'latestVersion', Description: 'description' },
  ...{ Updated: 'updatedAt', Archived: 'archivedAt' },
};
const VERSION = { Version: 'version', ID: 'id', Fields: 'fieldCount', Source: 'source', Created: 'createdAt' };

/** The address of the schemas of the project that is in use. */
export function schemasPath({ project }: CliContext): string {
  return `/api/projects/${encodeURIComponent(project)}/schemas`;
}

/** The id of a schema that somebody named by its id, or by its name in the project. @throws CliError `notFound` */
export async function schemaId(context: CliContext, named: string): Promise<string> {
  if (isUuid(named)) return named;
  const [found] = await context.api.rows<Schemas['SchemaRowView']>(schemasPath(context), { name: named });
  if (found === undefined) throw new CliError(`the project has no schema named ${named}`, EXIT.notFound);
  return found.id;
}

/** Verbs for schemas that are one request each. */
export const SCHEMA_VERBS: readonly Verb[] = [
  {
    name: 'schemas list',
    about: 'list the schemas of the project',
    prints: 'rows',
    columns: SCHEMA,
    request: ({ context }) => ({ path: schemasPath(context) }),
  },
  {
    name: 'schemas show',
    about: 'show a schema, with its newest version',
    takes: '<schema>',
    prints: 'record',
    columns: {
      ...SCHEMA,
      Fields: 'schemaVersion.fieldCount',
      Source: 'schemaVersion.source',
      'Version ID': 'latestVersionId',
    },
    request: async ({ args: [named = ''], context }) => ({ path: `/api/schemas/${await schemaId(context, named)}` }),
  },
  {
    name: 'schemas versions',
    about: 'list the versions of a schema',
    takes: '<schema>',
    prints: 'rows',
    columns: VERSION,
    request: async ({ args: [named = ''], context }) => ({
      path: `/api/schemas/${await schemaId(context, named)}/versions`,
    }),
  },
  {
    name: 'schemas update',
    about: 'rename or describe a schema',
    takes: '<schema>',
    options: [
      ['--name <name>', 'its new name'],
      ['--description <text>', 'what it is for'],
    ],
    prints: 'record',
    columns: SCHEMA,
    request: async ({ args: [named = ''], options, context }) => ({
      method: 'PATCH',
      path: `/api/schemas/${await schemaId(context, named)}`,
      body: { name: textOf(options['name']), description: textOf(options['description']) },
    }),
  },
  {
    name: 'schemas archive',
    about: 'leave a schema out of lists; its versions stay',
    takes: '<schema>',
    prints: 'nothing',
    columns: {},
    request: async ({ args: [named = ''], context }) => ({
      method: 'POST',
      path: `/api/schemas/${await schemaId(context, named)}/archive`,
    }),
  },
];

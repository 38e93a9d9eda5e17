import { listOf, textOf, type Verb } from './verb.js';

const WORKSPACE = { ID: 'id', Name: 'name', Slug: 'slug', Projects: 'projectCount', Created: 'createdAt' };
const PROJECT = { ID: 'id', Name: 'name', Workspace: 'workspaceId', Documents: 'documentCount', Created: 'createdAt' };
const CLIENT = {
  ...{ ID: 'id', 'Client ID': 'clientId', Name: 'name', Scopes: 'scopes' },
  ...{ Expires: 'expiresAt', Revoked: 'revokedAt' },
};
const SECRET = { ...CLIENT, 'Client secret': 'clientSecret' };
const DESCRIPTION = ['--description <text>', 'what it is for'] as const;

/** Verbs for workspaces, projects, clients and what is on record of them. */
export const RECORD_VERBS: readonly Verb[] = [
  {
    name: 'whoami',
    about: 'who the credential is, and what it may do',
    prints: 'record',
    columns: {
      Client: 'principal.name',
      'Client ID': 'principal.id',
      Organization: 'orgId',
      Role: 'role',
      Scopes: 'scopes',
    },
    request: () => ({ path: '/api/me' }),
  },
  {
    name: 'workspaces list',
    about: 'list workspaces',
    prints: 'rows',
    columns: WORKSPACE,
    request: () => ({ path: '/api/workspaces' }),
  },
  {
    name: 'workspaces show',
    about: 'show a workspace',
    takes: '<id>',
    prints: 'record',
    columns: { ...WORKSPACE, Description: 'description' },
    request: ({ args: [id = ''] }) => ({ path: `/api/workspaces/${encodeURIComponent(id)}` }),
  },
  {
    name: 'workspaces create',
    about: 'make a workspace',
    takes: '<name>',
    options: [DESCRIPTION],
    prints: 'record',
    columns: WORKSPACE,
    request: ({ args: [name], options }) => ({
      method: 'POST',
      path: '/api/workspaces',
      body: { name, description: textOf(options['description']) },
    }),
  },
  {
    name: 'workspaces update',
    about: 'rename or describe a workspace',
    takes: '<id>',
    options: [['--name <name>', 'its new name'], DESCRIPTION],
    prints: 'record',
    columns: WORKSPACE,
    request: ({ args: [id = ''], options }) => ({
      method: 'PATCH',
      path: `/api/workspaces/${encodeURIComponent(id)}`,
      body: { name: textOf(options['name']), description: textOf(options['description']) },
    }),
  },
  {
    name: 'workspaces delete',
    about: 'delete an empty workspace',
    takes: '<id>',
    prints: 'nothing',
    columns: {},
    request: ({ args: [id = ''] }) => ({ method: 'DELETE', path: `/api/workspaces/${encodeURIComponent(id)}` }),
  },
  {
    name: 'projects list',
    about: 'list projects',
    options: [
      ['--workspace <id>', 'of this workspace'],
      ['--name <name>', 'of this name'],
    ],
    prints: 'rows',
    columns: PROJECT,
    request: ({ options }) => ({
      path: '/api/projects',
      query: { workspaceId: textOf(options['workspace']), name: textOf(options['name']) },
    }),
  },
  {
    name: 'projects show',
    about: 'show a project, the one in use without an id',
    takes: '[id]',
    prints: 'record',
    columns: { ...PROJECT, Description: 'description', Settings: 'settings', Archived: 'archivedAt' },
    request: ({ args: [id], context }) => ({ path: `/api/projects/${encodeURIComponent(id ?? context.project)}` }),
  },
  {
    name: 'projects create',
    about: 'make a project',
    takes: '<name>',
    options: [['--workspace <id>!', 'the workspace in which it is'], DESCRIPTION],
    prints: 'record',
    columns: PROJECT,
    request: ({ args: [name], options }) => ({
      method: 'POST',
      path: '/api/projects',
      body: { name, workspaceId: options['workspace'], description: textOf(options['description']) },
    }),
  },
  {
    name: 'projects update',
    about: 'rename or describe a project',
    takes: '<id>',
    options: [['--name <name>', 'its new name'], DESCRIPTION],
    prints: 'record',
    columns: PROJECT,
    request: ({ args: [id = ''], options }) => ({
      method: 'PATCH',
      path: `/api/projects/${encodeURIComponent(id)}`,
      body: { name: textOf(options['name']), description: textOf(options['description']) },
    }),
  },
  {
    name: 'projects archive',
    about: 'archive a project; it is purged 30 days later',
    takes: '<id>',
    prints: 'nothing',
    columns: {},
    request: ({ args: [id = ''] }) => ({ method: 'DELETE', path: `/api/projects/${encodeURIComponent(id)}` }),
  },
  {
    name: 'clients list',
    about: 'list the clients of the organization',
    prints: 'rows',
    columns: CLIENT,
    request: () => ({ path: '/api/clients' }),
  },
  {
    name: 'clients create',
    about: 'make a client; its secret is shown once',
    takes: '<name>',
    options: [
      ['--scopes <list>!', 'as in documents:read,search:read'],
      ['--workspaces <ids>', 'only these'],
      ['--projects <ids>', 'only these'],
      ['--expires <time>', 'as in 2027-01-31T00:00:00Z'],
    ],
    prints: 'record',
    columns: SECRET,
    request: ({ args: [name], options }) => ({
      method: 'POST',
      path: '/api/clients',
      body: {
        name,
        scopes: listOf(options['scopes']),
        workspaceIds: listOf(options['workspaces']),
        projectIds: listOf(options['projects']),
        expiresAt: textOf(options['expires']),
      },
    }),
  },
  {
    name: 'clients rotate',
    about: 'give a client a second secret, shown once; the newest two work',
    takes: '<id>',
    prints: 'record',
    columns: SECRET,
    request: ({ args: [id = ''] }) => ({ method: 'POST', path: `/api/clients/${encodeURIComponent(id)}/rotate` }),
  },
  {
    name: 'clients revoke',
    about: 'take a client all its rights, at once',
    takes: '<id>',
    prints: 'nothing',
    columns: {},
    request: ({ args: [id = ''] }) => ({ method: 'DELETE', path: `/api/clients/${encodeURIComponent(id)}` }),
  },
  {
    name: 'audit',
    about: 'who did what, newest first',
    options: [
      ['--action <name>', 'as in document.deleted'],
      ['--subject <id>', 'on this thing'],
      ['--since <time>', 'not older'],
    ],
    prints: 'rows',
    columns: {
      ...{ Time: 'occurredAt', Actor: 'actor.name', Action: 'action', Subject: 'subject.kind' },
      ...{ 'Subject ID': 'subject.id', Detail: 'detail' },
    },
    request: ({ options }) => ({
      path: '/api/audit',
      query: {
        action: textOf(options['action']),
        subjectId: textOf(options['subject']),
        since: textOf(options['since']),
      },
    }),
  },
];

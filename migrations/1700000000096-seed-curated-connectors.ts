import type { MigrationInterface, QueryRunner } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';

interface CuratedConnector {
  slug: string;
  name: string;
  icon: string;
  description: string;
  categories: string[];
  scopes?: string[];
  url?: string;
  transport?: 'stdio';
  auth_mode: 'none' | 'api_key' | 'oauth';
  auth_hints?: Record<string, string>;
  tool_hints: { pattern: string; action: 'allow' | 'approve'; note: string | null }[];
  sandbox_launch?: object;
}

/** The connectors that Sandgate vouches for (chapter 40 §11): names, addresses and hints; no credential. */
export class SeedCuratedConnectors1700000000096 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('set local role sandgate_system');
    for (const entry of CURATED) {
      await queryRunner.query(
        `insert into connector_catalog (id, slug, name, icon, description, categories, scopes, egress, tier, url, transport,
                                        auth_mode, auth_hints, tool_hints, sandbox_launch, provenance)
         values ($1, $2, $3, $4, $5, $6, $7, $8, 'verified', $9, $10, $11, $12, $13, $14, $15)`,
        [
          uuidv7(),
          entry.slug,
          entry.name,
          entry.icon,
          entry.description,
          entry.categories,
          entry.scopes ?? [],
          entry.url === undefined ? [] : [new URL(entry.url).host],
          entry.url ?? null,
          entry.transport ?? 'streamable_http',
          entry.auth_mode,
          JSON.stringify(entry.auth_hints ?? {}),
          JSON.stringify(entry.tool_hints),
          entry.sandbox_launch === undefined ? null : JSON.stringify(entry.sandbox_launch),
          JSON.stringify({ source: 'service', source_ref: null, upstream_id: null, status: null, imported_at: null }),
        ],
      );
    }
    await queryRunner.query('reset role');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}

/** Reading is suggested without a question, everything else with one. */
function readFreely(slug: string, ...patterns: string[]): CuratedConnector['tool_hints'] {
  return [
    ...patterns.map((pattern) => ({ pattern: `mcp__${slug}__${pattern}`, action: 'allow' as const, note: 'reads' })),
    { pattern: `mcp__${slug}__*`, action: 'approve', note: 'may change something' },
  ];
}

const CURATED: readonly CuratedConnector[] = [
  {
    slug: 'github',
    name: 'GitHub',
    icon: '🐙',
    description: 'Repositories, issues, pull requests and workflows on GitHub.',
    categories: ['code', 'issues'],
    url: 'https://api.githubcopilot.com/mcp/',
    auth_mode: 'api_key',
    auth_hints: {
      scheme: 'Bearer',
      key_url: 'https://github.com/settings/personal-access-tokens',
      placeholder: 'a personal access token',
    },
    tool_hints: readFreely('github', 'get_*', 'list_*', 'search_*'),
  },
  {
    slug: 'stripe',
    name: 'Stripe',
    icon: '💳',
    description: 'Customers, payments, invoices and subscriptions in Stripe.',
    categories: ['payments'],
    url: 'https://mcp.stripe.com',
    auth_mode: 'api_key',
    auth_hints: {
      scheme: 'Bearer',
      key_url: 'https://dashboard.stripe.com/apikeys',
      placeholder: 'a restricted key',
    },
    tool_hints: readFreely('stripe', 'get_*', 'list_*', 'search_*', 'retrieve_*', 'fetch_*'),
  },
  {
    slug: 'sentry',
    name: 'Sentry',
    icon: '🛰️',
    description: 'Issues, events and releases recorded by Sentry.',
    categories: ['observability'],
    url: 'https://mcp.sentry.dev/mcp',
    auth_mode: 'api_key',
    auth_hints: {
      header_name: 'Sentry-Bearer',
      scheme: '',
      key_url: 'https://sentry.io/settings/account/api/auth-tokens/',
      placeholder: 'a user auth token',
    },
    tool_hints: readFreely('sentry', 'find_*', 'get_*', 'search_*', 'whoami'),
  },
  {
    slug: 'linear',
    name: 'Linear',
    icon: '📐',
    description: 'Issues, projects and cycles in Linear.',
    categories: ['issues'],
    url: 'https://mcp.linear.app/mcp',
    auth_mode: 'oauth',
    tool_hints: readFreely('linear', 'get_*', 'list_*', 'search_*'),
  },
  {
    slug: 'atlassian',
    name: 'Atlassian',
    icon: '🧭',
    description: 'Jira issues and Confluence pages of an Atlassian site.',
    categories: ['issues', 'documents'],
    scopes: ['read:me', 'read:account', 'offline_access', 'read:jira-work', 'write:jira-work'],
    url: 'https://mcp.atlassian.com/v1/mcp/authv2',
    auth_mode: 'oauth',
    tool_hints: readFreely('atlassian', 'get*', 'search*', 'lookup*', 'atlassianUserInfo'),
  },
  {
    slug: 'notion',
    name: 'Notion',
    icon: '📝',
    description: 'Pages and databases of a Notion workspace.',
    categories: ['documents'],
    url: 'https://mcp.notion.com/mcp',
    auth_mode: 'oauth',
    tool_hints: readFreely('notion', 'notion-fetch', 'notion-get-*', 'notion-search'),
  },
  {
    slug: 'workspace-info',
    name: 'Workspace info',
    icon: '🗂️',
    description:
      'Counts files and matching lines of the workspace. Runs inside the sandbox, without network and credential.',
    categories: ['code'],
    transport: 'stdio',
    auth_mode: 'none',
    tool_hints: [{ pattern: 'mcp__workspace-info__*', action: 'allow', note: 'reads the workspace alone' }],
    sandbox_launch: {
      command: '/opt/sandgate/node/bin/node',
      args: ['/opt/sandgate/runner/workspace-info.mjs'],
      tools: [
        {
          name: 'workspace_file_count',
          description: 'Counts the regular files of the workspace, .git and node_modules left out.',
          input_schema: { type: 'object', properties: {}, additionalProperties: false },
        },
        {
          name: 'workspace_grep_count',
          description:
            'Counts the lines of the workspace that match a regular expression (RE2 syntax), and the files that hold them.',
          input_schema: {
            type: 'object',
            properties: { pattern: { type: 'string', minLength: 1, maxLength: 1000 } },
            required: ['pattern'],
            additionalProperties: false,
          },
        },
      ],
    },
  },
];

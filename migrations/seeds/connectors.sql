-- The connectors that Sandgate vouches for: names, addresses and hints; no credential. Reading is suggested without a
-- question, everything else with one.
set local role sandgate_system;

with curated (id, slug, name, icon, description, categories, scopes, url, auth_mode, auth_hints, reads) as (
  values
    (
      '01a203d3-8bc4-761b-8e6a-efa9dd76e486'::uuid, 'github', 'GitHub', '🐙',
      'Repositories, issues, pull requests and workflows on GitHub.',
      '{code,issues}'::text[], '{}'::text[], 'https://api.githubcopilot.com/mcp/', 'api_key',
      '{
        "scheme": "Bearer",
        "key_url": "https://github.com/settings/personal-access-tokens",
        "placeholder": "a personal access token"
      }'::jsonb,
      '{get_*,list_*,search_*}'::text[]
    ),
    (
      '01a203d3-8bc6-71bf-880d-7b0706cd6b35', 'stripe', 'Stripe', '💳',
      'Customers, payments, invoices and subscriptions in Stripe.',
      '{payments}', '{}', 'https://mcp.stripe.com', 'api_key',
      '{
        "scheme": "Bearer",
        "key_url": "https://dashboard.stripe.com/apikeys",
        "placeholder": "a restricted key"
      }',
      '{get_*,list_*,search_*,retrieve_*,fetch_*}'
    ),
    (
      '01a203d3-8bc7-71e1-81f3-047e4294b619', 'sentry', 'Sentry', '🛰️',
      'Issues, events and releases recorded by Sentry.',
      '{observability}', '{}', 'https://mcp.sentry.dev/mcp', 'api_key',
      '{
        "header_name": "Sentry-Bearer",
        "scheme": "",
        "key_url": "https://sentry.io/settings/account/api/auth-tokens/",
        "placeholder": "a user auth token"
      }',
      '{find_*,get_*,search_*,whoami}'
    ),
    (
      '01a203d3-8bc8-7260-97bb-c420d56751a9', 'linear', 'Linear', '📐',
      'Issues, projects and cycles in Linear.',
      '{issues}', '{}', 'https://mcp.linear.app/mcp', 'oauth', '{}',
      '{get_*,list_*,search_*}'
    ),
    (
      '01a203d3-8bc8-7260-97bb-cb3a437a42d4', 'atlassian', 'Atlassian', '🧭',
      'Jira issues and Confluence pages of an Atlassian site.',
      '{issues,documents}', '{read:me,read:account,offline_access,read:jira-work,write:jira-work}',
      'https://mcp.atlassian.com/v1/mcp/authv2', 'oauth', '{}',
      '{get*,search*,lookup*,atlassianUserInfo}'
    ),
    (
      '01a203d3-8bc9-7128-94aa-d040a06e6936', 'notion', 'Notion', '📝',
      'Pages and databases of a Notion workspace.',
      '{documents}', '{}', 'https://mcp.notion.com/mcp', 'oauth', '{}',
      '{notion-fetch,notion-get-*,notion-search}'
    )
), hinted as (
  select c.id, jsonb_agg(
      jsonb_build_object('pattern', 'mcp__' || c.slug || '__' || r.pattern, 'action', 'allow', 'note', 'reads')
      order by r.place
    ) || jsonb_build_object('pattern', 'mcp__' || c.slug || '__*', 'action', 'approve', 'note', 'may change something')
      as tool_hints
    from curated c cross join lateral unnest(c.reads) with ordinality as r (pattern, place)
    group by c.id, c.slug
)
insert into connector_catalog (id, slug, name, icon, description, categories, scopes, egress, tier, url, transport,
                               auth_mode, auth_hints, tool_hints, provenance)
  select c.id, c.slug, c.name, c.icon, c.description, c.categories, c.scopes,
         array[substring(c.url from '^https://([^/]+)')], 'verified', c.url, 'streamable_http', c.auth_mode,
         c.auth_hints, h.tool_hints,
         '{"source": "service", "source_ref": null, "upstream_id": null, "status": null, "imported_at": null}'
    from curated c join hinted h on h.id = c.id;

-- The one that needs no server: a program inside the sandbox.
insert into connector_catalog (id, slug, name, icon, description, categories, tier, transport, auth_mode, tool_hints,
                               sandbox_launch, provenance)
  values (
    '01a203d3-8bca-702a-9619-d26579cdc167', 'workspace-info', 'Workspace info', '🗂️',
    'Counts files and matching lines of the workspace. Runs inside the sandbox, without network and credential.',
    '{code}', 'verified', 'stdio', 'none',
    '[{"pattern": "mcp__workspace-info__*", "action": "allow", "note": "reads the workspace alone"}]',
    '{
  "command": "/opt/sandgate/node/bin/node",
  "args": ["/opt/sandgate/runner/workspace-info.mjs"],
  "tools": [
    {
      "name": "workspace_file_count",
      "description": "Counts the regular files of the workspace, .git and node_modules left out.",
      "input_schema": {"type": "object", "properties": {}, "additionalProperties": false}
    },
    {
      "name": "workspace_grep_count",
      "description":
        "Counts the lines of the workspace that match a regular expression (RE2 syntax), and the files that hold them.",
      "input_schema": {
        "type": "object",
        "properties": {"pattern": {"type": "string", "minLength": 1, "maxLength": 1000}},
        "required": ["pattern"],
        "additionalProperties": false
      }
    }
  ]
}',
    '{"source": "service", "source_ref": null, "upstream_id": null, "status": null, "imported_at": null}'
  );

reset role;

import tseslint from 'typescript-eslint';

const WAY_OUT = 'hosts outside are reached through src/platform/egress';

const SQL_PLACE = 'SQL text stands in migrations and in src/core/<noun> (ARCHITECTURE.md)';
/** A text that is a statement. Words that also begin a sentence need what follows them in SQL. */
const STATEMENT = [
  String.raw`select\s[^]*\bfrom\s`,
  String.raw`select\s+([a-z_]+\(|1\b)`,
  String.raw`insert\s+into\s`,
  String.raw`update\s+\w+\s+(as\s+\w+\s+)?set\s`,
  String.raw`delete\s+from\s`,
  String.raw`with\s+\w+\s+as\s`,
  String.raw`(create|alter|drop)\s+(table|database|role|index|function|view)\s`,
  String.raw`set\s+(role|local|session)\s`,
].join('|');

const WAYS_IN =
  'a record goes through its entity (`tx.manager`); what must be one statement is a function in migrations/functions, which a typed ' +
  'wrapper here calls (ARCHITECTURE.md, "Two ways into the database")';
/** A text that names a table. What it may name is a function of ours, whose name begins so, or one that PostgreSQL has. */
const tableStatement = (prefix) =>
  [
    String.raw`select\s[^]*\b(from|join)\s+(?!${prefix}|pg_|unnest\b)[a-z_(]`,
    String.raw`insert\s+into\s`,
    String.raw`update\s+\w+\s+(as\s+\w+\s+)?set\s`,
    String.raw`delete\s+from\s`,
    String.raw`with\s+\w+\s+as\s`,
  ].join('|');
/** The same rules for the control plane and for the documents service, whose functions have another prefix. */
const PRODUCTS = [
  { source: 'src', prefix: 'svc_' },
  { source: 'documents/src', prefix: 'docsvc_' },
];
const inText = (pattern, message) => [
  { selector: `Literal[value=/^\\s*(${pattern})/i]`, message },
  { selector: `TemplateElement[value.raw=/^\\s*(${pattern})/i]`, message },
];

/**
 * What the native linter cannot hold in the code of the products: rules of ours that are selectors, type imports where a decorator's
 * metadata makes values of them, and assignments that a loop reads. All other rules are in .oxlintrc.json.
 */
export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', '{,documents/}src/client/schema.d.ts', '**/*.spec.ts', '**/*.{js,mjs,cjs}'] },
  {
    files: ['{,documents/}src/**/*.ts'],
    plugins: { '@typescript-eslint': tseslint.plugin },
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: { emitDecoratorMetadata: true, experimentalDecorators: true },
    },
    linterOptions: { reportUnusedDisableDirectives: 'off' },
    rules: {
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
      ],
      'no-useless-assignment': 'error',
    },
  },
  {
    // The way out is src/platform/egress: what the control plane may reach is decided there (docs/security.md).
    files: ['src/{api,worker,activities,platform}/**', 'documents/src/{api,worker,activities,core,platform}/**'],
    ignores: ['src/platform/egress/**', '**/*.spec.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        ...['fetch', 'WebSocket', 'EventSource'].map((name) => ({ name, message: WAY_OUT })),
      ],
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          paths: [
            ...['undici', 'node:https', 'node:http2', 'node:dns', 'node:dns/promises', 'node:dgram'].map((name) => ({
              name,
              message: WAY_OUT,
              allowTypeImports: true,
            })),
            {
              name: 'node:tls',
              importNames: ['default', 'connect', 'TLSSocket'],
              message: WAY_OUT,
              allowTypeImports: true,
            },
            { name: 'node:http', importNames: ['default', 'request', 'get', 'Agent'], message: WAY_OUT },
            {
              name: 'node:net',
              importNames: ['default', 'connect', 'createConnection', 'Socket'],
              message: WAY_OUT,
              allowTypeImports: true,
            },
          ],
        },
      ],
    },
  },
  ...PRODUCTS.flatMap(({ source, prefix }) => [
    {
      files: [`${source}/**`],
      ignores: [`${source}/core/*/**`, `${source}/platform/postgres/**`],
      rules: {
        'no-restricted-syntax': [
          'error',
          {
            selector:
              "CallExpression[callee.property.name='query'] > :matches(Literal, TemplateLiteral, BinaryExpression).arguments:first-child",
            message: SQL_PLACE,
          },
          { selector: "TaggedTemplateExpression[tag.name='sql']", message: SQL_PLACE },
          ...inText(STATEMENT, SQL_PLACE),
        ],
      },
    },
    {
      files: [`${source}/core/**`],
      rules: {
        'no-restricted-syntax': [
          'error',
          ...inText(tableStatement(prefix), WAYS_IN),
          {
            selector: String.raw`TemplateLiteral[expressions.length>0] > TemplateElement[value.raw=/^\s*(select|insert\s+into)\s/i]`,
            message: WAYS_IN,
          },
        ],
      },
    },
    {
      // The adapter speaks of sessions, locks, roles and the schema's own tables; the product's have their wrappers in core.
      files: [`${source}/platform/postgres/**`],
      rules: {
        'no-restricted-syntax': [
          'error',
          ...inText(String.raw`[^]*(\b${prefix}\w+\(|\b(from|join|into)\s+(?!pg_|schema_)[a-z])`, SQL_PLACE),
        ],
      },
    },
  ]),
);

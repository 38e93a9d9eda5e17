/** The arrows between the parts (ARCHITECTURE.md): who may import whom. */
const part = (name) => `^src/${name}/`;
const onlyFrom = (name, allowed, comment) => ({
  name: `${name}-imports`,
  comment,
  severity: 'error',
  from: { path: part(name), pathNot: '\\.spec\\.ts$' },
  to: { path: '^(src|migrations|test)/', pathNot: [part(name), ...allowed] },
});

/** The same for the documents service (documents/), which is built on what the control plane says in HOUSE and on nothing else of it. */
const room = (name) => `^documents/src/${name}/`;
const HOUSE = [
  '^src/platform/(egress|seal|telemetry|config|sandbox|temporal|postgres|host|schemas)/',
  '^src/domain/(errors|json|uuid|system-error|map-items|nearest-name)\\.ts$',
  '^src/domain/redaction/',
];
/** What starts and watches processes. */
const SUPERVISOR = '^src/embedded/';
const roomOnlyFrom = (name, allowed, comment) => ({
  name: `documents-${name}-imports`,
  comment,
  severity: 'error',
  from: { path: room(name), pathNot: '\\.spec\\.ts$' },
  to: { path: '^(src|migrations|test|documents)/', pathNot: [room(name), ...allowed] },
});

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, path: '^(documents/)?src/', pathNot: ['\\.d\\.ts$', '/main\\.ts$', '\\.spec\\.ts$'] },
      to: {},
    },
    {
      name: 'no-folder-circles',
      comment: 'of two folders one is beneath the other',
      scope: 'folder',
      severity: 'error',
      from: { path: '^(documents/)?src' },
      to: { circular: true, path: '^(documents/)?src' },
    },
    onlyFrom('domain', [], 'domain decides and depends on nothing'),
    onlyFrom(
      'platform',
      [part('domain'), '^migrations/index\\.ts$'],
      'platform adapts to the outside, in domain types; postgres runs the migrations',
    ),
    onlyFrom('core', [part('domain'), part('platform')], 'core does what the product does, through adapters'),
    onlyFrom(
      'workflows',
      [part('domain'), '^src/activities/run-activities\\.ts$'],
      'workflows are deterministic: domain and activity types only',
    ),
    onlyFrom(
      'activities',
      [part('domain'), part('platform'), part('core')],
      'activities act through core and platform',
    ),
    onlyFrom('api', [part('domain'), part('platform'), part('core'), '^src/workflows/messages\\.ts$'], 'api admits'),
    onlyFrom(
      'worker',
      [part('domain'), part('workflows'), part('activities'), part('core'), part('platform')],
      'worker wires',
    ),
    onlyFrom('runner', [part('domain')], 'the untrusted side holds nothing of ours'),
    onlyFrom(
      'embedded',
      [part('domain'), part('api'), part('worker'), part('core'), part('platform')],
      'embedded starts the parts; operators work straight on the record',
    ),
    onlyFrom(
      'cli',
      [part('client'), part('domain'), part('embedded'), '^src/platform/host/own-version\\.ts$'],
      'cli speaks to the API',
    ),
    onlyFrom('client', [], 'the client is generated'),
    {
      name: 'documents-apart',
      comment: 'the control plane starts the documents service by path and environment, and knows nothing of it',
      severity: 'error',
      from: { path: '^(src|migrations)/' },
      to: { path: '^documents/' },
    },
    roomOnlyFrom('domain', ['^src/domain/'], 'domain decides and depends on nothing'),
    roomOnlyFrom(
      'platform',
      [...HOUSE, room('domain'), '^documents/migrations/index\\.ts$'],
      'platform adapts to the outside, in domain types',
    ),
    roomOnlyFrom(
      'core',
      [...HOUSE, room('domain'), room('platform')],
      'core does what the service does, through adapters',
    ),
    roomOnlyFrom(
      'workflows',
      [room('domain'), room('activities')],
      'workflows are deterministic: domain and activity types only',
    ),
    roomOnlyFrom(
      'activities',
      [...HOUSE, room('domain'), room('platform'), room('core')],
      'activities act through core and platform',
    ),
    roomOnlyFrom(
      'api',
      [...HOUSE, room('domain'), room('platform'), room('core'), '^documents/src/workflows/messages\\.ts$'],
      'api admits',
    ),
    roomOnlyFrom(
      'worker',
      [...HOUSE, room('domain'), room('workflows'), room('activities'), room('core'), room('platform')],
      'worker wires',
    ),
    roomOnlyFrom(
      'embedded',
      [...HOUSE, SUPERVISOR, room('domain'), room('api'), room('worker'), room('core'), room('platform')],
      'embedded starts the parts; operators work straight on the record',
    ),
    roomOnlyFrom(
      'cli',
      [...HOUSE, room('client'), room('domain'), room('embedded'), '^documents/src/platform/own-version\\.ts$'],
      'cli speaks to the API',
    ),
    roomOnlyFrom('client', [], 'the client is generated'),
    {
      name: 'documents-migrations-imports',
      comment: 'migrations are run by the adapter, and know their SQL alone',
      severity: 'error',
      from: { path: '^documents/migrations/' },
      to: { path: '^(src|migrations|test|documents)/', pathNot: '^documents/migrations/' },
    },
    {
      name: 'documents-activity-types',
      comment: 'a workflow is told what an activity takes and answers, and cannot run it',
      severity: 'error',
      from: { path: room('workflows') },
      to: { path: room('activities'), dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'parsers-alone',
      comment:
        'what opens the bytes of a document runs in a confinement of its own, and reaches domain, packages and a buffer only',
      severity: 'error',
      from: { path: '^documents/src/platform/parsing/programs/', pathNot: '\\.spec\\.ts$' },
      to: {
        path: '^(src|migrations|test|documents)/',
        pathNot: ['^documents/src/(domain|platform/parsing)/', '^src/platform/host/growing-buffer\\.ts$'],
        reachable: true,
      },
    },
    {
      name: 'provider-apart',
      comment:
        'whoever needs a sandbox speaks to the ports; which provider there is, the choice alone knows, and the jail of documents, for ' +
        'which there is one',
      severity: 'error',
      from: {
        path: '^(documents/)?src/',
        pathNot: [
          '^src/platform/sandbox/(bubblewrap|docker|choice)/',
          '^documents/src/platform/parsing/build-parser-jail\\.ts$',
        ],
      },
      to: { path: '^src/platform/sandbox/(bubblewrap|docker)/' },
    },
    {
      name: 'scanner-alone',
      comment: 'the scanner is copied into a confinement of its own, where nothing else of ours is',
      severity: 'error',
      from: { path: '^src/platform/workspace/scanner/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^src/', pathNot: '^src/platform/workspace/scanner/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'validators-apart',
      comment: 'schemas of others are compiled and run by threads of their own, which nothing of ours loads',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/platform/schemas/validator/' },
      to: { path: ['^src/platform/schemas/validator/', 'node_modules/ajv/'] },
    },
    {
      name: 'nest-apart',
      comment: 'the framework is how the API admits; what the product does stands without it',
      severity: 'error',
      from: { path: '^(documents/)?src/', pathNot: '^(documents/)?src/api/' },
      to: { path: 'node_modules/@nestjs/' },
    },
    {
      name: 'temporal-apart',
      comment: 'core and API reach workflows through platform/temporal',
      severity: 'error',
      from: { path: [part('core'), part('api'), part('domain')] },
      to: { path: 'node_modules/@temporalio/' },
    },
    {
      name: 'documents-temporal-apart',
      comment: 'all others reach workflows through platform/temporal',
      severity: 'error',
      from: { path: '^documents/src/', pathNot: '^documents/src/(platform/temporal|workflows|activities|worker)/' },
      to: { path: 'node_modules/@temporalio/' },
    },
    {
      name: 'workflows-packages',
      comment: 'workflow code runs in a deterministic sandbox',
      severity: 'error',
      from: { path: '^(documents/)?src/workflows/', pathNot: '\\.spec\\.ts$' },
      to: { dependencyTypes: ['npm', 'core'], pathNot: 'node_modules/@temporalio/(workflow|common)' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs'],
    },
    exclude: { path: ['^(dist|coverage)/', '\\.spec\\.ts$'] },
  },
};

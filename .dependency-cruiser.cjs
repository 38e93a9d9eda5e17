/** The arrows between the parts (ARCHITECTURE.md): who may import whom. */
const part = (name) => `^src/${name}/`;
const onlyFrom = (name, allowed, comment) => ({
  name: `${name}-imports`,
  comment,
  severity: 'error',
  from: { path: part(name), pathNot: '\\.spec\\.ts$' },
  to: { path: '^(src|migrations|test)/', pathNot: [part(name), ...allowed] },
});

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, path: '^src/', pathNot: ['\\.d\\.ts$', '/main\\.ts$', '\\.spec\\.ts$'] },
      to: {},
    },
    {
      name: 'no-folder-circles',
      comment: 'of two folders one is beneath the other',
      scope: 'folder',
      severity: 'error',
      from: { path: '^src' },
      to: { circular: true, path: '^src' },
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
    onlyFrom('cli', [part('client'), part('domain'), part('embedded')], 'cli speaks to the API'),
    onlyFrom('client', [], 'the client is generated'),
    {
      name: 'provider-apart',
      comment: 'whoever needs a sandbox speaks to the ports; which provider there is, the choice alone knows',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/platform/sandbox/(bubblewrap|docker|choice)/' },
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
      from: { path: '^src/', pathNot: part('api') },
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
      name: 'workflows-packages',
      comment: 'workflow code runs in a deterministic sandbox',
      severity: 'error',
      from: { path: part('workflows'), pathNot: '\\.spec\\.ts$' },
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

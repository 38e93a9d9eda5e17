import { describe, expect, it } from '@jest/globals';
import type { BundleServer, BundleVersion } from './bundle.js';
import { describeFrozen, freezeBundles, narrowPins } from './freeze-bundles.js';
import { parseBundleRefs, resolvePins } from './pins.js';

const server = (name: string): BundleServer => ({
  class: 'sandbox',
  name,
  command: name,
  args: [],
  identity: { name: 'x' },
  tools: [{ name: 't', description: '', input_schema: {} }],
});
const bundle = (name: string, version: number, ...servers: string[]): BundleVersion => ({
  id: `${name}-${version}`,
  name,
  version,
  definition: { servers: servers.map(server) },
  definition_digest: `sha256:${name}${version}`,
});
const [KB1, KB2, WEB] = [bundle('kb', 1, 'kb'), bundle('kb', 2, 'kb'), bundle('web', 1, 'fetch')];
const pin = (...refs: string[]) =>
  resolvePins(parseBundleRefs(refs), ({ name, version }) =>
    Promise.resolve(
      [KB2, KB1, WEB, bundle('other', 1, 'kb')].find(
        (one) => one.name === name && (version ?? one.version) === one.version,
      ) ?? null,
    ),
  );

describe('pins of a revision', () => {
  it('CP-087 CP-097 CP-098 a bare name is the newest version, name@N exactly that one, both trimmed', async () => {
    expect(await pin(' kb ', 'web @ 1')).toEqual([
      { id: 'kb-2', name: 'kb', version: 2 },
      { id: 'web-1', name: 'web', version: 1 },
    ]);
    expect(await pin('kb@1')).toEqual([{ id: 'kb-1', name: 'kb', version: 1 }]);
    expect(await pin()).toEqual([]);
  });

  it.each([
    ['kb@', 'capability_bundles: kb@: the version after @ must be an integer'],
    ['kb@one', 'capability_bundles: kb@one: the version after @ must be an integer'],
    ['kb@1@2', 'capability_bundles: kb@1@2: the version after @ must be an integer'],
    ['kb@1.0', 'capability_bundles: kb@1.0: the version after @ must be an integer'],
    ['kb@3', 'capability_bundles: unknown bundle kb@3'],
    ['kb@-1', 'capability_bundles: unknown bundle kb@-1'],
    ['kb@99999999999999999999', 'capability_bundles: unknown bundle kb@99999999999999999999'],
    ['crm', 'capability_bundles: unknown bundle crm'],
    ['', 'capability_bundles: unknown bundle '],
  ])('CP-045 refuses %j, which attaches nothing', async (ref, message) => {
    await expect((async () => pin(ref))()).rejects.toThrow(message);
  });

  it('refuses the same bundle twice, also at two versions, and one server name in two bundles', async () => {
    await expect((async () => pin('kb@1', 'kb@2'))()).rejects.toThrow('capability_bundles: bundle kb is named twice');
    await expect(pin('kb', 'other')).rejects.toThrow(
      'capability_bundles: server name kb is in bundle kb and in bundle other',
    );
  });
});

describe('bundles of a run', () => {
  const pins = [
    { id: 'kb-2', name: 'kb', version: 2 },
    { id: 'web-1', name: 'web', version: 1 },
  ];

  it('CP-078 keeps what the keep-list names, all without one, none with an empty one; unknown names add nothing', () => {
    expect(narrowPins(pins, null)).toEqual(pins);
    expect(narrowPins(pins, ['web', 'unknown', 'kb@2'])).toEqual([pins[1]]);
    expect(narrowPins(pins, [])).toEqual([]);
  });

  it('CP-013 freezes identity, digest and tools, and leaves out what is display only', () => {
    const frozen = freezeBundles([KB2, WEB]);
    expect(frozen[0]).toEqual({
      id: 'kb-2',
      name: 'kb',
      version: 2,
      definition_digest: 'sha256:kb2',
      servers: [
        {
          class: 'sandbox',
          name: 'kb',
          command: 'kb',
          args: [],
          tools: [{ name: 't', description: '', input_schema: {} }],
        },
      ],
    });
    expect(describeFrozen(frozen)).toEqual({ bundles: ['kb@2', 'web@1'], tools: 2 });
  });

  it('CP-310 refuses a brokered server of an old bundle and says to append a revision', () => {
    const old = bundle('crm', 1, 'crm');
    Object.assign(old.definition.servers[0]!, { class: 'brokered' });
    expect(() => freezeBundles([old])).toThrow(
      /capability server crm of bundle crm@1 is brokered, .*append a new revision/,
    );
  });

  it('refuses a server name that two bundles share', () => {
    expect(() => freezeBundles([KB2, bundle('other', 1, 'kb')])).toThrow(
      'server name kb is in bundle kb and in bundle other',
    );
  });
});

import { describe, expect, it } from '@jest/globals';
import type { Presets } from './presets.js';
import { assertAskable, narrowNetwork, readNetworkRequest, readWanted, type NetworkInput } from './request.js';
import { describeTarget, parseTarget, type NameTarget } from './target.js';

function target(text: string): NameTarget {
  const parsed = parseTarget(text);
  if (typeof parsed === 'string') throw new Error(`${text} ${parsed}`);
  return parsed;
}

const PRESETS: Presets = {
  npm: { targets: [target('npm.example.com:443')], variables: { npm_config_registry: 'https://npm.example.com/' } },
  go: { targets: [target('go.example.com:443'), target('*.go.example.com:443')], variables: { GOPROXY: 'off' } },
};

const reason = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  return 'accepted';
};

describe('a request for a network', () => {
  it.each([
    [{ mode: 'offline' }, { mode: 'offline' }],
    [{ mode: 'offline', targets: [], presets: null }, { mode: 'offline' }],
    [
      { mode: 'approved', targets: ['a.example:1', 'a.example:1'], presets: ['npm', 'npm'], duration_secs: 60 },
      { mode: 'approved', targets: ['a.example:1'], presets: ['npm'], duration_secs: 60 },
    ],
    [{ mode: 'approved', targets: null, duration_secs: null }, { mode: 'approved' }],
  ])('%j is read', (input, request) => expect(readNetworkRequest(input as NetworkInput)).toEqual(request));

  it.each([
    [{ mode: 'on' }, 'network.mode: must be offline or approved, not on'],
    [{ mode: 'Offline' }, 'network.mode: must be offline or approved, not Offline'],
    [{ mode: 'a\u001b[31m'.repeat(40) }, `not ${'a\u{fffd}[31m'.repeat(13)}a\u{fffd}`],
    [
      { mode: 'approved', presets: ['npn'] },
      'network.presets[0]: there is no preset npn; there are npm, pypi, crates, go, maven, debian; did you mean npm?',
    ],
    [{ mode: 'approved', presets: ['npm', '__proto__'] }, 'network.presets[1]: there is no preset __proto__'],
    [{ mode: 'offline', targets: ['a.example:1'] }, 'network.targets: offline reaches nothing'],
    [{ mode: 'offline', presets: ['npm'] }, 'network.presets: offline reaches nothing'],
    [{ mode: 'offline', duration_secs: 5 }, 'network.duration_secs: offline reaches nothing'],
  ])('CP-329 %j is refused by its member', (input, text) => {
    expect(reason(() => readNetworkRequest(input as NetworkInput))).toContain(text);
  });

  const NAME_HOSTS = 'name hosts as host:port or *.suffix:port';
  it.each([
    ['10.0.0.0/8', `network.targets[0]: invalid_target: 10.0.0.0/8 is a network; ${NAME_HOSTS}`],
    ['10.0.0.0/8:443', `network.targets[0]: invalid_target: 10.0.0.0/8:443 is a network; ${NAME_HOSTS}`],
    ['fd00::/8', `network.targets[0]: invalid_target: fd00::/8 is a network; ${NAME_HOSTS}`],
    [
      'dns.example.com:53/udp',
      'network.targets[0]: invalid_target: dns.example.com:53/udp is not possible; tcp only, as host:port',
    ],
    ['udp://dns.example.com:53', 'is not possible; tcp only, as host:port'],
    ['10.1.2.3:443', 'network.targets[0]: invalid_target: 10.1.2.3:443 must be a name'],
    ['a.example.com', 'network.targets[0]: invalid_target: a.example.com must be host:port or *.suffix:port'],
    [`${'x'.repeat(200)}`, `invalid_target: ${'x'.repeat(80)} must be`],
  ])('CP-329 target %s is refused with what works', (text, expected) => {
    expect(reason(() => readWanted({ mode: 'approved', targets: [text] }, PRESETS))).toContain(expected);
  });

  it('means its presets with their variables, each target once', () => {
    const { targets, variables } = readWanted(
      { mode: 'approved', targets: ['npm.example.com:443', 'b.example.com:1'], presets: ['npm', 'go'] },
      PRESETS,
    );
    expect(targets.map(({ at, target: one }) => `${at} ${describeTarget(one)}`)).toEqual([
      'network.targets[0] npm.example.com:443',
      'network.targets[1] b.example.com:1',
      'network.presets[1] (go) go.example.com:443',
      'network.presets[1] (go) *.go.example.com:443',
    ]);
    expect(variables).toEqual({ npm_config_registry: 'https://npm.example.com/', GOPROXY: 'off' });
  });

  it('CP-329 a preset that the deployment does not define is refused with the command and the setting that define it', () => {
    expect(reason(() => readWanted({ mode: 'approved', presets: ['pypi'] }, PRESETS))).toBe(
      'network.presets[0]: nothing says which hosts pypi means here; let sandgate network learn-presets find them, ' +
        'define it in the file of SERVICE_NETWORK_PRESETS, or name the hosts in network.targets',
    );
  });

  it.each([
    [{ mode: 'offline' as const }, 'accepted'],
    [{ mode: 'approved' as const, presets: ['npm' as const] }, 'accepted'],
    [{ mode: 'approved' as const }, 'network.targets: approved needs targets or presets'],
    [
      { mode: 'public' as const },
      'network.mode: public is not available here (mode_ceiling): use "approved" with targets host:port or *.suffix:port, ' +
        'or presets npm, pypi, crates, go, maven, debian',
    ],
  ])('of a revision: %j: %s', (request, expected) => {
    expect(reason(() => assertAskable(request, PRESETS))).toBe(expected);
  });
});

describe('the network of a run', () => {
  const agent = { mode: 'approved', targets: ['*.example.org:443'], presets: ['go'], duration_secs: 900 } as const;
  const asked = (run: NetworkInput | null, of: object | null = agent): unknown =>
    narrowNetwork(of as never, run === null ? null : readNetworkRequest(run), PRESETS);

  it('is that of its agent when it says nothing', () => {
    expect(asked(null)).toBe(agent);
    expect(asked(null, null)).toEqual({ mode: 'offline' });
  });

  it.each([
    [{ mode: 'offline' }, { mode: 'offline' }],
    [{ mode: 'approved' }, agent],
    [
      { mode: 'approved', duration_secs: 60 },
      { ...agent, duration_secs: 60 },
    ],
    [{ mode: 'approved', duration_secs: 9000 }, agent],
    [
      { mode: 'approved', targets: ['a.example.org:443', 'x.go.example.com:443'] },
      { mode: 'approved', targets: ['a.example.org:443', 'x.go.example.com:443'], duration_secs: 900 },
    ],
    [
      { mode: 'approved', presets: ['go'] },
      { mode: 'approved', presets: ['go'], duration_secs: 900 },
    ],
  ])('may be less: %j', (run, expected) => expect(asked(run as NetworkInput)).toEqual(expected));

  it.each([
    [{ mode: 'approved', targets: ['a.example.com:443'] }, agent, 'network.targets[0]: is not within the agent'],
    [{ mode: 'approved', targets: ['a.example.org:80'] }, agent, 'network.targets[0]: is not within the agent'],
    [{ mode: 'approved', targets: ['*.a.example.org:443'] }, agent, 'network.targets[0]: is not within the agent'],
    [{ mode: 'approved', presets: ['go', 'npm'] }, agent, 'network.presets[1] (npm): is not within the agent'],
    [{ mode: 'approved' }, null, "network.mode: approved is more than the agent's network, which is offline"],
    [{ mode: 'approved' }, { mode: 'offline' }, "network.mode: approved is more than the agent's network"],
    // What the agent was given cannot be known any more, so nothing is within it.
    [{ mode: 'approved', targets: ['a.example.org:443'] }, { ...agent, presets: ['pypi'] }, 'which hosts pypi means'],
  ])('CP-329 is refused when it is more, and never narrowed silently: %j', (run, of, text) => {
    expect(reason(() => asked(run as NetworkInput, of))).toContain(text);
  });
});

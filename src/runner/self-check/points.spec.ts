import { describe, expect, it } from '@jest/globals';
import type { Evidence } from './evidence.js';
import { parseMounts, parseRoutes, parseStatus } from './evidence.js';
import { pointsOf, type SandboxProfile } from './points.js';

const RO = ['ro', 'nosuid', 'nodev'];
const RW = ['rw', 'nosuid', 'nodev'];
const mounts = (entries: [string, string[]][]): Evidence['mounts'] =>
  entries.map(([point, options]) => ({ point, options }));

const HELD: Evidence = {
  uid: 231_000,
  gid: 231_000,
  groups: [231_000],
  uidMap: '0 0 4294967295',
  status: {
    Uid: '231000\t231000\t231000\t231000',
    NoNewPrivs: '1',
    Seccomp: '2',
    ...Object.fromEntries(['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'].map((set) => [set, '0000000000000000'])),
  },
  pid: 2,
  pids: [1, 2],
  interfaces: ['lo'],
  routes: [],
  neighbours: [],
  mounts: mounts([
    ['/', RO],
    ['/usr', RO],
    ['/proc', RW],
    ['/dev', RO],
    ['/dev/null', ['rw', 'nosuid']],
    ['/dev/pts', ['rw', 'nosuid', 'noexec']],
    ['/dev/shm', RW],
    ['/tmp', RW],
    ['/run', RW],
    ['/home/agent', RW],
    ['/opt/sandgate', RO],
    ['/run/sandgate', RO],
    ['/workspace', RW],
  ]),
  rootEntries: ['bin', 'dev', 'etc', 'home', 'proc', 'tmp', 'usr', 'workspace'],
  writable: [],
  readable: [],
  environment: { PATH: '/usr/bin', HOME: '/home/agent' },
  descriptors: ['pipe:[1]', 'anon_inode:[eventpoll]', 'socket:[77]', '/dev/shm/.sandgate-0c1f (deleted)'],
  ownSockets: ['77'],
};

const replaceMount = (point: string, options: string[]): Evidence['mounts'] =>
  HELD.mounts.map((mount) => (mount.point === point ? { point, options } : mount));
/** As a container engine makes it from an image: `/usr` is part of a root that honours setuid files, `/dev` is not remounted. */
const CONTAINER: Evidence = {
  ...HELD,
  mounts: [
    ...HELD.mounts.filter(({ point }) => !['/', '/usr', '/dev'].includes(point)),
    ...mounts([
      ['/', ['ro', 'relatime']],
      ['/dev', ['rw', 'nosuid']],
      ['/dev/mqueue', RW],
      ['/sys', RO],
      ['/etc/passwd', ['ro', 'relatime']],
    ]),
  ],
  rootEntries: [...HELD.rootEntries, 'boot', 'sys', 'var'],
};

const failing = (change: Partial<Evidence>, held = HELD, profile: SandboxProfile = 'bubblewrap'): string[] =>
  pointsOf(profile)
    .filter((point) => point.problem({ ...held, ...change }) !== null)
    .map((point) => point.name);

describe('proof 18: the self-check', () => {
  it('has ten points, all of which a sound sandbox passes', () => {
    expect(pointsOf('bubblewrap')).toHaveLength(10);
    expect(pointsOf('container').map(({ name }) => name)).toEqual(pointsOf('bubblewrap').map(({ name }) => name));
    expect(failing({})).toEqual([]);
    expect(failing({}, CONTAINER, 'container')).toEqual([]);
  });

  it('a container may have plain folders of the host, because nothing in them can gain it anything', () => {
    const plain = mounts(['/workspace', '/home/agent'].map((point) => [point, ['rw', 'relatime']]));
    const others = CONTAINER.mounts.filter(({ point }) => !plain.some((mount) => mount.point === point));
    const change = { mounts: [...others, ...plain] };
    expect(failing(change, CONTAINER, 'container')).toEqual([]);
    const gaining = { ...change, status: { ...HELD.status, NoNewPrivs: '0' } };
    expect(failing(gaining, CONTAINER, 'container')).toEqual(['no new privileges']);
    const making = { ...change, status: { ...HELD.status, CapBnd: '0000000008000000' } };
    expect(failing(making, CONTAINER, 'container')).toEqual(['capabilities']);
    expect(failing({ mounts: replaceMount('/workspace', ['rw', 'relatime']) })).toEqual(['mounts']);
  });

  const broken: [string, Partial<Evidence>][] = [
    ['identity', { uid: 0 }],
    ['identity', { gid: 0 }],
    ['identity', { groups: [231_000, 27] }],
    ['identity', { status: { ...HELD.status, Uid: '231000\t0\t0\t0' } }],
    ['capabilities', { status: { ...HELD.status, CapBnd: '00000000000000c0' } }],
    ['capabilities', { status: { ...HELD.status, CapEff: '0000000000200000' } }],
    ['no new privileges', { status: { ...HELD.status, NoNewPrivs: '0' } }],
    ['system-call filter', { status: { ...HELD.status, Seccomp: '0' } }],
    ['processes', { pids: [1, 2, 300, 301] }],
    ['processes', { pid: 1, pids: [1] }],
    ['network', { interfaces: ['lo', 'eth0'] }],
    ['network', { routes: [{ on: 'lo', via: null }] }],
    ['network', { neighbours: ['eth0'] }],
    ['mounts', { mounts: HELD.mounts.filter((mount) => mount.point !== '/workspace') }],
    ['mounts', { mounts: replaceMount('/workspace', ['rw', 'nodev']) }],
    ['mounts', { mounts: replaceMount('/tmp', ['rw', 'nosuid']) }],
    ['mounts', { mounts: replaceMount('/usr', RW) }],
    ['mounts', { mounts: [...HELD.mounts, { point: '/opt/extra', options: RW }] }],
    ['read-only system', { writable: ['/usr'] }],
    ['read-only system', { rootEntries: [...HELD.rootEntries, 'sys'] }],
    ['hidden files', { readable: ['/proc/1/environ'] }],
    ['environment and descriptors', { environment: { ...HELD.environment, SERVICE_SESSION_TOKEN: 'x' } }],
    ['environment and descriptors', { descriptors: ['/data/kek'] }],
    ['environment and descriptors', { descriptors: ['socket:[78]'] }],
  ];

  it.each(broken)('names the point "%s" when it does not hold (%#)', (name, change) => {
    expect(failing(change)).toEqual([name]);
  });

  const sameInContainers = broken.filter(([, change]) => !('mounts' in change || 'rootEntries' in change));
  const brokenContainers: [string, Partial<Evidence>][] = [
    ...sameInContainers,
    ['mounts', { mounts: CONTAINER.mounts.filter((mount) => mount.point !== '/workspace') }],
    ['mounts', { mounts: [...CONTAINER.mounts, ...mounts([['/var/lib', RW]])] }],
    ['mounts', { mounts: [...CONTAINER.mounts, ...mounts([['/sys', ['rw', 'nosuid', 'nodev']]])] }],
    ['mounts', { mounts: [...CONTAINER.mounts, ...mounts([['/run', ['rw', 'nosuid']]])] }],
    ['mounts', { mounts: [...CONTAINER.mounts, ...mounts([['/tmp', ['rw', 'nodev']]])] }],
    ['read-only system', { rootEntries: [...CONTAINER.rootEntries, 'host'] }],
  ];

  it.each(brokenContainers)('names the point "%s" when it does not hold in a container (%#)', (name, change) => {
    expect(failing(change, CONTAINER, 'container')).toEqual([name]);
  });

  it('lets a container have a network that leads to its neighbours, and no further', () => {
    const networked = { ...CONTAINER, interfaces: ['lo', 'eth0'], routes: [{ on: 'eth0', via: null }] };
    const problems = (change: Partial<Evidence>): string[] => failing(change, networked, 'networked-container');
    expect(pointsOf('networked-container').map(({ name }) => name)).toEqual(
      pointsOf('container').map(({ name }) => name),
    );
    expect(problems({})).toEqual([]);
    for (const change of [
      { routes: [...networked.routes, { on: 'eth0', via: '0102590A' }] },
      { routes: [...networked.routes, { on: 'eth1', via: null }] },
      { interfaces: ['lo', 'eth0', 'eth1'] },
      { neighbours: ['eth0'] },
    ])
      expect(problems(change)).toEqual(['network']);
    expect(failing({}, networked, 'container')).toEqual(['network']);
    const table = 'Iface\tDestination\tGateway\nlo\t0000000A\t00000000\neth0\t00000000\t0102590A\n';
    expect(parseRoutes(table)).toEqual([
      { on: 'lo', via: null },
      { on: 'eth0', via: '0102590A' },
    ]);
    expect(parseRoutes('')).toEqual([]);
  });

  it('reads its own status and mounts', () => {
    expect(parseStatus('Name:\tnode\nCapEff:\t0000\n')).toMatchObject({ Name: 'node', CapEff: '0000' });
    expect(parseMounts('66 42 0:41 / / ro,nosuid,nodev - tmpfs tmpfs rw\n')).toEqual([
      { point: '/', options: ['ro', 'nosuid', 'nodev'] },
    ]);
  });
});

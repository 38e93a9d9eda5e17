import { describe, expect, it } from '@jest/globals';
import { checkEngine, findWeaknesses } from './check-engine.js';
import type { CheckedEngine } from './try-container.js';

const HELD = `CapPrm:	0000000000000000
CapEff:	0000000000000000
CapBnd:	0000000000000000
CapAmb:	0000000000000000
NoNewPrivs:	1
Seccomp:	2
interface Inter-|   Receive
interface face |bytes
interface lo:       0       0
processes: 4
memory: 67108864
pids: 36
cpu: 50000
workspace: shared
root: read-only
init: closed
plane: reached
runtime: runc
`;

const without = (line: string): string => HELD.replace(new RegExp(`^${line}.*\n`, 'm'), '');

describe('proof 17: an engine that cannot give the profile', () => {
  it('is told from one that can, with cgroups of either version', () => {
    expect(findWeaknesses(HELD, null)).toEqual([]);
    expect(findWeaknesses(HELD.replace('cpu: 50000', 'cpu: 50000 100000'), null)).toEqual([]);
  });

  it.each([
    ['no filter', HELD.replace('Seccomp:\t2', 'Seccomp:\t0'), 'inside a container Seccomp is not 2'],
    ['a capability', HELD.replace('CapBnd:\t0', 'CapBnd:\t8'), 'inside a container CapBnd is not 0000000000000000'],
    ['new privileges', without('NoNewPrivs'), 'inside a container NoNewPrivs is not 1'],
    ['a network', `${HELD}interface eth0: 0\n`, 'a container has the network interfaces eth0'],
    [
      'the processes of the host',
      HELD.replace('processes: 4', 'processes: 400'),
      'a container sees processes of others',
    ],
    ['other folders', without('workspace'), 'the engine does not see the state folder at its own path'],
    ['no sockets', without('plane'), 'a socket in a mounted folder cannot be reached from a container'],
    ['a root that can be written', without('root'), 'the root of a container can be written'],
    ['an init that can be read', without('init'), 'the first process of a container can be looked into'],
    [
      'no limit of memory',
      HELD.replace('memory: 67108864', 'memory: max'),
      'the engine sets no limit of memory: its cgroups lack that controller',
    ],
    [
      'no limit of processes',
      HELD.replace('pids: 36', 'pids: max'),
      'the engine sets no limit of processes: its cgroups lack that controller',
    ],
    [
      'no limit of processors',
      without('cpu'),
      'the engine sets no limit of processors: its cgroups lack that controller',
    ],
  ])('gives %s, which is named', (_name, seen, problem) => {
    expect(findWeaknesses(seen, null)).toEqual([problem]);
  });

  it('is told from one whose networks lead further than to the plane', () => {
    const networked = `${without('plane')}interface eth0: 0\nplane: heard\n`;
    const judged = (seen: string): string[] => findWeaknesses(seen, null, 'network');
    expect(judged(networked)).toEqual([]);
    expect(judged(`${networked}interface eth1: 0\n`)).toEqual(['a container has the network interfaces eth1']);
    expect(judged(networked.replace('plane: heard\n', ''))).toEqual([
      'the runner plane cannot be reached from the network of a container',
    ]);
    expect(judged(`${networked}host: heard at 10.89.0.1\nhost: heard at 192.0.2.7\n`)).toEqual([
      'a container reaches this host at 10.89.0.1, 192.0.2.7',
    ]);
    expect(judged(`${networked}neighbour fe80000000000000 02 40 20 80 eth0\n`)).toEqual([
      'a container has an address of IPv6, by which it reaches this host',
    ]);
  });

  it('must really use the runtime that was asked for', () => {
    expect(findWeaknesses(HELD, 'crun')).toEqual([
      'containers are run by runc, although SERVICE_DOCKER_RUNTIME asks for crun',
    ]);
    expect(findWeaknesses(HELD, 'runc')).toEqual([]);
    expect(findWeaknesses(HELD.replace('runtime: runc', 'runtime: /usr/bin/crun'), 'crun')).toEqual([]);
  });

  it('cannot be one that executes no unreadable program', async () => {
    const report = await checkEngine({ engineRuntime: 'runsc' } as CheckedEngine);
    expect(report).toMatchObject({
      ok: false,
      missing: [expect.stringContaining('gVisor (runsc) executes no program')],
    });
  });

  it('gives nothing at all where the trial printed nothing', () => {
    expect(findWeaknesses('', null).length).toBeGreaterThan(10);
  });
});

import { describe, expect, it } from '@jest/globals';
import { addressIn, listenerProblem, ownerOfRun } from './plane-network.js';

describe('the network of a sandbox', () => {
  it('has names and labels that tell whose it is', () => {
    expect(ownerOfRun('a-run', 'host')).toEqual({
      name: 'service-net-a-run',
      labels: {
        'service.session': 'a-run',
        'service.phase': 'plane',
        'service.managed': '1',
        'service.deployment': 'host',
      },
    });
    expect([addressIn('10.89.3.0/24', 1), addressIn('172.20.0.0/16', 2)]).toEqual(['10.89.3.1', '172.20.0.2']);
  });

  it.each(['127.0.0.1', '127.1.2.3', 'localhost', '::1'])(
    'CP-053 does not lead to a listener at %s, and says which would do',
    (host) => {
      expect(listenerProblem({ way: 'network', listener: { host, port: 8787 } })).toContain(
        'SERVICE_BIND=0.0.0.0:8787',
      );
    },
  );

  it.each(['0.0.0.0', '::', '10.88.0.1'])('CP-053 leads to a listener at %s', (host) => {
    expect(listenerProblem({ way: 'network', listener: { host, port: 8787 } })).toBeNull();
  });
});

import { describe, expect, it } from '@jest/globals';
import { isLoopbackHost } from './loopback.js';

describe('a host', () => {
  it.each(
    ['127.0.0.1', '127.1.2.3', '127.255.255.255', 'localhost', 'LOCALHOST', '::1', '[::1]', '0:0:0:0:0:0:0:1'].concat([
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
    ]),
  )('CP-053 is this machine alone: %s', (host) => {
    expect(isLoopbackHost(host)).toBe(true);
  });

  it.each(
    ['0.0.0.0', '::', '10.88.0.1', '192.168.1.1', '2001:db8::1', '128.0.0.1', '1.127.0.0', '', 'example.com'].concat([
      ...['127.0.0.1.example.com', '127.example.com', '127.0.0.1.', '127.1', '127.0.0.256', '0177.0.0.1', '2130706433'],
      ...['localhost.example.com', 'localhost.', 'notlocalhost', '::1%lo', '::11', '::ffff:10.0.0.1', ' 127.0.0.1'],
    ]),
  )('CP-053 may be reached from elsewhere: %p', (host) => {
    expect(isLoopbackHost(host)).toBe(false);
  });
});

import { describe, expect, it } from '@jest/globals';
import { Egress } from '../../platform/egress/egress.js';
import { refuseCallbackUrl } from './callback-url.js';

const LOCAL = 'http://127.0.0.1:8787';
const LOOPBACK = ['127.0.0.0/8', '::1/128'];

function refuse(url: string, allowCidrs: string[] = [], publicUrl = LOCAL): string | null {
  return refuseCallbackUrl(url, { client: new Egress({ allowCidrs, proxy: null }).guarded, publicUrl });
}

describe('the address of a callback', () => {
  it('CP-104 is https to a host of the internet, and its name is not resolved', () => {
    expect(refuse('https://hooks.example/result?key=1')).toBeNull();
    expect(refuse('https://no-such-name.invalid/')).toBeNull();
  });

  it.each([
    ['http://hooks.example/', 'plain-http egress target'],
    ['ftp://hooks.example/', 'not an http(s) URL'],
    ['https://user:secret@hooks.example/', 'URL with user or password'],
    ['https://hooks.example\\@10.0.0.1/', 'malformed URL'],
    ['https://127.0.0.1/', 'private/loopback/link-local address (loopback)'],
    ['https://localhost/', 'private/loopback/link-local address (loopback)'],
    ['https://[::1]/', 'private/loopback/link-local address (loopback)'],
    ['https://10.1.2.3/', 'private/loopback/link-local address (private)'],
    ['https://0xa010203/', 'private/loopback/link-local address (private)'],
    ['https://100.64.0.1/', 'private/loopback/link-local address (private)'],
    ['https://169.254.1.1/', 'private/loopback/link-local address (link-local)'],
    ['https://169.254.169.254/', 'private/loopback/link-local address (metadata)'],
    ['https://0.0.0.0/', 'private/loopback/link-local address (unspecified)'],
    ['https://224.0.0.1/', 'private/loopback/link-local address (multicast)'],
    ['https://240.0.0.1/', 'private/loopback/link-local address (reserved)'],
    ['https://255.255.255.255/', 'private/loopback/link-local address (reserved)'],
    ['https://192.0.2.1/', 'private/loopback/link-local address (documentation)'],
    ['https://192.0.0.1/', 'private/loopback/link-local address (reserved)'],
    ['https://198.18.0.1/', 'private/loopback/link-local address (reserved)'],
    ['https://[fd00::1]/', 'private/loopback/link-local address (private)'],
    ['https://[fe80::1]/', 'private/loopback/link-local address (link-local)'],
    ['https://[fec0::1]/', 'private/loopback/link-local address (private)'],
    ['https://[ff02::1]/', 'private/loopback/link-local address (multicast)'],
    ['https://[2001:db8::1]/', 'private/loopback/link-local address (documentation)'],
    ['https://[::ffff:10.0.0.1]/', 'private/loopback/link-local address (private)'],
    ['https://[::10.0.0.1]/', 'private/loopback/link-local address (private)'],
    ['https://[64:ff9b::a00:1]/', 'private/loopback/link-local address (private)'],
  ])('CP-033 %s is refused: %s', (url, why) => {
    expect(refuse(url)).toBe(why);
    expect(refuse(url.replace('https:', 'http:'))).not.toBeNull();
  });

  it('CP-033 plain http goes to opened loopback alone, from a deployment that is http on loopback itself', () => {
    expect(refuse('http://127.0.0.1:9000/', LOOPBACK)).toBeNull();
    expect(refuse('http://localhost:9000/', LOOPBACK)).toBeNull();
    expect(refuse('http://[::1]:9000/', LOOPBACK, 'http://localhost:8787')).toBeNull();
    expect(refuse('http://127.0.0.1:9000/')).not.toBeNull();
    expect(refuse('http://127.0.0.1:9000/', LOOPBACK, 'https://127.0.0.1')).toBe('plain-http egress target');
    expect(refuse('http://127.0.0.1:9000/', LOOPBACK, 'http://sandgate.example')).toBe('plain-http egress target');
    expect(refuse('http://10.0.0.1/', ['10.0.0.0/8'])).toBe('plain-http egress target');
    expect(refuse('http://hooks.example/', LOOPBACK)).toBe('plain-http egress target');
  });

  it('CP-033 networks that the operator opened may be named with https', () => {
    expect(refuse('https://10.0.0.1/', ['10.0.0.0/8'])).toBeNull();
    expect(refuse('https://10.0.0.1/', ['192.168.0.0/16'])).not.toBeNull();
  });
});

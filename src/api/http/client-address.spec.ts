import { describe, expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { clientAddress } from './client-address.js';

const from = (headers: Record<string, string | string[]>, trustForwardedFor: boolean, remoteAddress?: string): string =>
  clientAddress({ headers, socket: { remoteAddress }, server: { trustForwardedFor } } as unknown as FastifyRequest);

describe('where a request comes from', () => {
  it('is the peer of the connection, whatever headers say', () => {
    expect(from({ 'x-forwarded-for': '203.0.113.9', 'x-real-ip': '203.0.113.8' }, false, '192.0.2.1')).toBe(
      '192.0.2.1',
    );
  });

  it.each<[string, Record<string, string | string[]>, string]>([
    ['the first that is forwarded for', { 'x-forwarded-for': ' 203.0.113.9 , 10.0.0.1' }, '203.0.113.9'],
    ['of several headers the first', { 'x-forwarded-for': ['203.0.113.9', '203.0.113.7'] }, '203.0.113.9'],
    ['before what x-real-ip says', { 'x-forwarded-for': '203.0.113.9', 'x-real-ip': '203.0.113.8' }, '203.0.113.9'],
    ['x-real-ip without it', { 'x-real-ip': '203.0.113.8' }, '203.0.113.8'],
    ['x-real-ip where it is empty', { 'x-forwarded-for': ' ', 'x-real-ip': '203.0.113.8' }, '203.0.113.8'],
    ['the peer where neither is there', {}, '192.0.2.1'],
    ['without the port that some proxies add', { 'x-forwarded-for': '203.0.113.9:40112' }, '203.0.113.9'],
    ['in the one spelling that compares', { 'x-forwarded-for': '2001:DB8:0::00A' }, '2001:db8::a'],
    ['without brackets', { 'x-forwarded-for': '[2001:db8::a]:443' }, '2001:db8::a'],
    ['as it is where that is no address', { 'x-forwarded-for': '_hidden:443' }, '_hidden:443'],
    ['no more than an address needs', { 'x-forwarded-for': 'a'.repeat(500) }, 'a'.repeat(100)],
  ])('is behind a trusted proxy %s', (_what, headers, address) => {
    expect(from(headers, true, '192.0.2.1')).toBe(address);
  });

  it('is the IPv4 address of a listener that takes both kinds', () => {
    expect(from({}, false, '::ffff:192.0.2.1')).toBe('192.0.2.1');
    expect(from({}, false, '::1')).toBe('::1');
  });

  it('is unknown for a connection that is gone', () => {
    expect(from({}, false)).toBe('unknown');
  });
});

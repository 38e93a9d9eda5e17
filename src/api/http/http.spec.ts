import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { SandgateError } from '../../domain/errors.js';
import { isStorableText } from '../../domain/storage/storable-text.js';
import { toSandgateError } from './error.filter.js';
import { EventsQuery } from '../events/events.dto.js';
import { rowsAsked, seqAsked } from './limit.js';
import { refuseUnstorableText } from './request-text.js';
import { pathId } from '../../domain/resource-id.js';
import { RouteTable } from './route-table.js';
import { validated, type Unvalidated } from './validated.js';

type Sent = Unvalidated<EventsQuery>;
const limitOf = (limit: Sent['limit']) => rowsAsked(validated(EventsQuery, { limit }, 'limit').limit, 50);
const seqOf = (after: Sent['after']) => seqAsked(validated(EventsQuery, { after }, 'after').after);

describe('limit and seq', () => {
  it('CP-194 CP-300 a limit is a positive integer, clamped at 1000', () => {
    expect([limitOf(undefined), limitOf('1'), limitOf('1000'), limitOf('9'.repeat(400))]).toEqual([50, 1, 1000, 1000]);
    for (const bad of ['', '0', '00', '-1', '1.0', '1e3', ' 1', ['1', '2'], 5])
      expect(() => limitOf(bad)).toThrow('limit');
  });

  it('CP-193 a seq is an int64; beyond the type is the end, before the start is the start', () => {
    expect(seqOf(undefined)).toBe('0');
    expect(seqOf('-7')).toBe('0');
    expect(seqOf('007')).toBe('7');
    expect(seqOf('9223372036854775807')).toBe('9223372036854775807');
    for (const beyond of ['9223372036854775808', '-9223372036854775809', '9'.repeat(5000)])
      expect(() => seqOf(beyond)).toThrow('after: must be an integer of 64 bits');
    for (const bad of ['', 'x', '1.5', ['1']]) expect(() => seqOf(bad)).toThrow('after: must be an integer');
  });
});

describe('text of requests', () => {
  it('CP-300 names the member that cannot be stored', () => {
    expect(() => refuseUnstorableText({ a: [{ b: 'x\u0000' }] }, '')).toThrow(
      'a[0].b: must not contain the character U+0000',
    );
    expect(() => refuseUnstorableText({ a: '\ud800' }, '')).toThrow('a: is not well-formed Unicode');
    expect(() => refuseUnstorableText({ 'a\u0000': 1 }, '')).toThrow('a member name');
    refuseUnstorableText({ a: ['ü', '😀', 5, null, true] }, '');
    expect([isStorableText('😀'), isStorableText('\udc00'), isStorableText('\u0000')]).toEqual([true, false, false]);
  });

  it('refuses nesting that a recursive reader could not bear', () => {
    let value: unknown = 1;
    for (let depth = 0; depth < 100_000; depth += 1) value = [value];
    expect(() => refuseUnstorableText({ value }, '')).toThrow('nested deeper than 64');
  });

  it('refuses as many members as would hold the process up', () => {
    const holding = (members: number): object =>
      Object.fromEntries(Array.from({ length: members }, (_, at) => [`k${at}`, 0]));
    refuseUnstorableText({ content: holding(19_000) }, '');
    refuseUnstorableText({ content: Array.from({ length: 1000 }, () => holding(100)) }, '');
    expect(() => refuseUnstorableText({ content: holding(20_001) }, '')).toThrow('content: holds too many members');
    expect(() => refuseUnstorableText({ content: Array.from({ length: 9 }, () => holding(7000)) }, '')).toThrow(
      'holds too many members',
    );
  });
});

describe('ids in paths', () => {
  it('CP-166 CP-303 a malformed id names nothing', () => {
    expect(pathId('01900000-0000-7000-8000-00000000000A', 'run')).toBe('01900000-0000-7000-8000-00000000000a');
    expect(pathId('0190000000007000800000000000000A', 'run')).toBe('01900000-0000-7000-8000-00000000000a');
    for (const bad of ['', 'x', '01900000-0000-7000-8000-00000000000', '0190000000007000-8000000000000000']) {
      expect(() => pathId(bad, 'run')).toThrow('no such run');
    }
  });
});

describe('the route table', () => {
  it('tells a wrong method from an unknown path', () => {
    const routes = new RouteTable();
    routes.add('/v1/agents/:id', 'GET');
    routes.add('/v1/agents/:id', ['HEAD']);
    routes.add('/v1/agents/:id/revisions', 'POST');
    expect(routes.allowed('/v1/agents/a.b?x=1')).toBe('GET, HEAD, OPTIONS');
    expect(routes.allowed('/v1/agents/a/revisions')).toBe('OPTIONS, POST');
    for (const unknown of ['/v1/agents', '/v1/agents/', '/v1/agents/a/b', '/v1x/agents/a'])
      expect(routes.allowed(unknown)).toBeNull();
  });
});

describe('failures', () => {
  it('CP-299 CP-302 CP-304 CP-306 have the status of their code, and keep what is not ours to tell', () => {
    for (const [code, status] of [
      ['forbidden', 403],
      ['conflict', 409],
      ['unavailable', 503],
      ['queue_full', 429],
    ] as const) {
      expect(toSandgateError(new SandgateError(code, 'why')).httpStatus).toBe(status);
    }
    const hidden = toSandgateError(new Error('password=secret'));
    expect([hidden.httpStatus, hidden.message]).toEqual([500, 'internal error']);
    expect(toSandgateError({ statusCode: 418 }).httpStatus).toBe(400);
    expect(toSandgateError(Object.assign(new Error('x'), { code: '22021' })).httpStatus).toBe(400);
    expect(toSandgateError('thrown').httpStatus).toBe(500);
  });
});

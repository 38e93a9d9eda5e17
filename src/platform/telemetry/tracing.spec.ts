import { describe, expect, it } from '@jest/globals';
import { asksForTraces, startTracing } from './start-tracing.js';
import { formatTraceparent, parseTraceparent, spanIdOfRun, traceIdOfRun } from './traceparent.js';
import { Tracing } from './tracing.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('a caller’s trace context', () => {
  it('is taken over as two ids and a flag', () => {
    const parent = parseTraceparent(`00-${TRACE}-${SPAN}-01`);
    expect(parent).toEqual({ traceId: TRACE, spanId: SPAN, sampled: true });
    expect(parseTraceparent(`00-${TRACE}-${SPAN}-fe`)?.sampled).toBe(false);
    expect(formatTraceparent(parent!)).toBe(`00-${TRACE}-${SPAN}-01`);
  });

  it.each([
    [null],
    [''],
    [`00-${'0'.repeat(32)}-${SPAN}-01`],
    [`00-${TRACE}-${'0'.repeat(16)}-01`],
    [`01-${TRACE}-${SPAN}-01`],
    [`00-${TRACE.toUpperCase()}-${SPAN}-01`],
    [`00-${TRACE}-${SPAN}-01-more`],
    [`00-${TRACE}-${SPAN}-01\n`],
    [`00-${TRACE}-${SPAN}`],
  ])('%j is taken over as nothing', (text) => {
    expect(parseTraceparent(text)).toBeNull();
  });

  it('a run outside any trace has one that its id tells', () => {
    const id = '01a0b1c2-d3e4-7f56-8a9b-0c1d2e3f4a5b';
    expect(traceIdOfRun(id)).toBe('01a0b1c2d3e47f568a9b0c1d2e3f4a5b');
    expect(spanIdOfRun(id)).toMatch(/^[0-9a-f]{16}$/);
    expect(parseTraceparent(`00-${traceIdOfRun(id)}-${spanIdOfRun(id)}-01`)).not.toBeNull();
  });
});

describe('tracing', () => {
  it.each([
    [{}, false],
    [{ OTEL_SERVICE_NAME: 'x', OTEL_TRACES_SAMPLER: 'always_on' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }, true],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' }, true],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, false],
    [{ OTEL_TRACES_EXPORTER: 'otlp' }, true],
    [{ OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }, false],
    [{ OTEL_SDK_DISABLED: 'TRUE', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }, false],
  ])('%j: %s', (env, wanted) => {
    expect(asksForTraces(env)).toBe(wanted);
  });

  it('that nobody asked for is off and does nothing', async () => {
    const tracing = await startTracing('test', {}, { warn: fail, error: fail });
    expect(tracing).toBe(Tracing.off);
    expect(tracing.on).toBe(false);
    expect(tracing.currentTraceparent()).toBeNull();
    const run = { runId: '01a0b1c2-d3e4-7f56-8a9b-0c1d2e3f4a5b', traceparent: null };
    tracing.record(run, { name: 'a', attributes: {}, startedAt: 0 });
    tracing.recordRun(run, { name: 'a', attributes: {}, startedAt: 0 });
    await tracing.close();
  });
});

function fail(): never {
  throw new Error('nothing should be said');
}

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { trace } from '@opentelemetry/api';
import { startSpanReceiver, type SpanReceiver } from '../../../test/support/telemetry/span-receiver.js';
import { activeTraceIds } from './logger.js';
import { startTracing } from './start-tracing.js';
import { spanIdOfRun, traceIdOfRun } from './traceparent.js';
import { preciseNow, type Tracing } from './tracing.js';

const CALLER = '4bf92f3577b34da6a3ce929d0e0e4736';
const UNTRACED = { runId: '01a0b1c2-d3e4-7f56-8a9b-0c1d2e3f4a5b', traceparent: null };
const SAMPLED = { runId: '01a0b1c2-d3e4-7f56-8a9b-000000000001', traceparent: `00-${CALLER}-00f067aa0ba902b7-01` };
const UNSAMPLED = {
  runId: '01a0b1c2-d3e4-7f56-8a9b-000000000002',
  traceparent: `00-${CALLER}-00f067aa0ba902b7-00`,
};

/** One SDK a process, as in production: every case writes into it, and what arrived is looked at after its end. */
describe('tracing that the standard variables switch on', () => {
  let receiver: SpanReceiver;
  let tracing: Tracing;
  let sent: Buffer;
  const seen: Record<string, unknown> = {};

  beforeAll(async () => {
    receiver = await startSpanReceiver();
    process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = receiver.url;
    tracing = await startTracing('sandgate-test', process.env, { warn: fail, error: fail });
    const step = (name: string) => ({ name, attributes: { 'a.b': 1 }, startedAt: preciseNow() });
    tracing.record(UNTRACED, step('step-of-untraced'));
    tracing.recordRun(UNTRACED, step('run-of-untraced'));
    tracing.record(SAMPLED, step('step-of-sampled'));
    tracing.record(UNSAMPLED, step('step-of-unsampled'));
    tracing.recordRun(UNSAMPLED, step('run-of-unsampled'));
    const failing = async (): Promise<never> => {
      seen['ids'] = activeTraceIds();
      seen['traceparent'] = tracing.currentTraceparent();
      await Promise.resolve();
      throw Object.assign(new Error('a text of somebody'), { type: 'A Type Of Somebody' });
    };
    seen['failure'] = await tracing.step(SAMPLED, 'failing-step', {}, failing).catch((cause: Error) => cause.message);
    const request = tracing.beginRequest('GET /v1/x', {}, 'garbage');
    seen['request'] = request.spanContext();
    request.end();
    await tracing.close();
    sent = Buffer.concat(receiver.requests.map(({ body }) => body));
  });

  afterAll(async () => {
    delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
    trace.disable();
    await receiver.close();
  });

  it('sends protobuf over HTTP to the collector, and nothing but traces', () => {
    expect([...new Set(receiver.requests.map(({ path, contentType }) => `${path} ${contentType}`))]).toEqual([
      '/v1/traces application/x-protobuf',
    ]);
    expect(sent.includes('sandgate-test')).toBe(true);
  });

  it('says nothing of the process, its host or its command line', () => {
    const texts = ['process.', 'host.', process.cwd(), process.execPath, 'node_modules'];
    expect(texts.filter((text) => sent.includes(text))).toEqual([]);
  });

  it('names the trace of an untraced run by its id, and one parent for its steps', () => {
    expect(sent.includes(Buffer.from(traceIdOfRun(UNTRACED.runId), 'hex'))).toBe(true);
    expect(sent.includes('step-of-untraced') && sent.includes('run-of-untraced')).toBe(true);
    // Once as the run's own id, once as the parent of its step.
    expect(occurrences(Buffer.from(spanIdOfRun(UNTRACED.runId), 'hex'))).toBe(2);
  });

  it('keeps to what the caller decided about sampling', () => {
    expect(sent.includes('step-of-sampled')).toBe(true);
    expect(sent.includes('unsampled')).toBe(false);
  });

  it('says of a failure that there was one, and nothing of its words', () => {
    expect(seen['failure']).toBe('a text of somebody');
    expect(sent.includes('failing-step') && sent.includes('error.type')).toBe(true);
    expect(['a text of somebody', 'A Type Of Somebody', 'exception'].filter((text) => sent.includes(text))).toEqual([]);
  });

  it('gives log lines the trace of the step in which they are written', () => {
    expect(seen['ids']).toEqual({ trace_id: CALLER, span_id: expect.stringMatching(/^[0-9a-f]{16}$/) });
    expect(seen['traceparent']).toMatch(new RegExp(`^00-${CALLER}-[0-9a-f]{16}-01$`));
    expect(activeTraceIds()).toEqual({});
  });

  it('begins a trace of its own for a caller whose context is no context', () => {
    expect(seen['request']).toMatchObject({ traceId: expect.stringMatching(/^[0-9a-f]{32}$/), traceFlags: 1 });
  });

  function occurrences(id: Buffer): number {
    let count = 0;
    for (let at = sent.indexOf(id); at !== -1; at = sent.indexOf(id, at + 1)) count += 1;
    return count;
  }
});

function fail(fields: unknown, message?: unknown): never {
  throw new Error(`nothing should be said: ${JSON.stringify(fields)} ${String(message)}`);
}

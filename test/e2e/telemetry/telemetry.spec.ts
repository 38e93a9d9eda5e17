import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { byConversation, reply } from '../../../src/cli/demo/wire/model-script.js';
import { startScriptedModel, type ScriptedModel } from '../../../src/cli/demo/scripted-model.js';
import { freePorts } from '../../support/installation/free-ports.js';
import { LiveStack, type Session } from '../../support/installation/live-stack.js';
import { readMetrics, type ScrapedMetrics } from '../../support/telemetry/scraped-metrics.js';
import { startSpanReceiver, type ReceivedSpan, type SpanReceiver } from '../../support/telemetry/span-receiver.js';

jest.setTimeout(60_000);

const CALLER = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const PROVIDER_KEY = 'sk-ant-api03-CANARYproviderkey0123456789abcdef';
const MODEL = 'claude-haiku-4-5';
const ROOT = 'invoke_agent traced';
const STEPS = ['launchSandbox', 'superviseSandbox', 'collectArtifacts', 'concludeRun'].map(
  (name) => `RunActivity:${name}`,
);

describe('what an installation tells of a run', () => {
  let folder: string;
  let receiver: SpanReceiver;
  let model: ScriptedModel;
  let stack: LiveStack;
  let run: string;
  let ports: number[];
  let api: ScrapedMetrics;
  let worker: ScrapedMetrics;
  let scraped: string;

  const conversation = byConversation([
    reply({ text: 'CANARY-narrative' }, { tool: 'Read', input: { file_path: '/workspace/CANARY-file.txt' } }),
    reply({ tool: 'Write', input: { file_path: '/workspace/CANARY-written.txt', content: 'CANARY-content' } }),
    reply({ tool: 'Bash', input: { command: 'sh CANARY-deploy.sh CANARY-argument' } }),
    reply({ text: 'CANARY-final' }),
  ]);

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'CANARY-folder-'));
    writeFileSync(join(folder, 'CANARY-file.txt'), 'CANARY-read\n');
    writeFileSync(join(folder, 'CANARY-deploy.sh'), 'echo CANARY-output; echo CANARY-stderr >&2\n');
    receiver = await startSpanReceiver();
    model = await startScriptedModel({ apiKey: PROVIDER_KEY, script: conversation });
    ports = await freePorts(3);
    stack = await LiveStack.start({
      ANTHROPIC_API_KEY: PROVIDER_KEY,
      SERVICE_LLM_ANTHROPIC_URL: model.url,
      SERVICE_LOCAL_COPY_ROOTS: folder,
      SERVICE_LOG_LEVEL: 'info',
      SERVICE_METRICS_BIND: `127.0.0.1:${ports[0]}`,
      SERVICE_WORKER_METRICS_BIND: `127.0.0.1:${ports[1]}`,
      SERVICE_TEMPORAL_METRICS_BIND: `127.0.0.1:${ports[2]}`,
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-collector=yes',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    });
    run = await startRun();
    const approval = await stack.pendingApproval(run);
    await stack.decide(approval.id, 'approved_once');
    expect(await stack.untilTerminal(run)).toMatchObject({ status: 'completed' });
    // Each process sends what it has every now and then.
    await stack.until('the spans of the run and of its steps', 60_000, () =>
      Promise.resolve([ROOT, ...STEPS].every((name) => named(name).length > 0) ? true : undefined),
    );
    await stack.until('the release of the sandbox', 60_000, async () => {
      const { series } = readMetrics(await scrape(ports[1]!));
      return series.get('service_active_runs') === 0 ? true : undefined;
    });
    const texts = await Promise.all(ports.map(scrape));
    scraped = texts.join('');
    [api, worker] = texts.map(readMetrics) as [ScrapedMetrics, ScrapedMetrics];
  }, 240_000);

  afterAll(async () => {
    await stack?.stop();
    await model?.close();
    await receiver?.close();
    rmSync(folder, { recursive: true, force: true });
  }, 120_000);

  /** With the context of a caller that traces, and with private data of the caller. */
  async function startRun(): Promise<string> {
    const body = { name: 'traced', harness: 'builtin', policy: 'standard', system_prompt: 'CANARY-system' };
    await stack.json('POST', '/v1/agents', body);
    const authorization = `Bearer ${stack.installation.adminToken}`;
    expect((await fetch(`${stack.url}/v1/sessions?agent=CANARY-query`, { headers: { authorization } })).status).toBe(
      200,
    );
    const answer = await fetch(`${stack.url}/v1/sessions`, {
      method: 'POST',
      headers: {
        authorization,
        'content-type': 'application/json',
        traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-01`,
        tracestate: 'vendor=CANARY-state',
        baggage: 'user=CANARY-baggage',
      },
      body: JSON.stringify({ agent: 'traced', task: 'CANARY-task', workspace: { kind: 'local_copy', path: folder } }),
    });
    return ((await answer.json()) as { session: Session }).session.id;
  }

  function named(name: string): ReceivedSpan[] {
    return receiver.spans.filter((span) => span.name === name);
  }

  function inTrace(): ReceivedSpan[] {
    return receiver.spans.filter((span) => span.traceId === CALLER.traceId);
  }

  it('its spans stand in the trace of whoever created it, beneath one span of the run', () => {
    const [created] = named('POST /v1/sessions');
    expect(created).toMatchObject({ ...CALLER, spanId: expect.any(String), parentSpanId: CALLER.spanId, kind: 2 });
    const [root, ...others] = named(ROOT);
    expect(others).toEqual([]);
    expect(root).toMatchObject({ traceId: CALLER.traceId, parentSpanId: created?.spanId, service: 'sandgate-worker' });
    const steps = inTrace().filter((span) => span !== root && span !== created);
    expect(steps.filter((span) => span.parentSpanId !== root?.spanId)).toEqual([]);
    expect(steps.map((span) => span.name)).toEqual(expect.arrayContaining(STEPS));
  });

  it('model calls follow the conventions for generative AI, and their tokens are those on the record', async () => {
    const cost = await stack.json<Record<string, number>>('GET', `/v1/sessions/${run}/cost`);
    const calls = named(`chat ${MODEL}`);
    expect(calls).toHaveLength(model.requests.length);
    for (const span of calls) {
      expect(span).toMatchObject({
        service: 'sandgate-api',
        kind: 3,
        status: 0,
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.provider.name': 'anthropic',
          'gen_ai.request.model': MODEL,
          'gen_ai.conversation.id': run,
          'http.response.status_code': 200,
        },
      });
    }
    const sum = (name: string) => calls.reduce((all, span) => all + Number(span.attributes[name]), 0);
    expect(sum('gen_ai.usage.output_tokens')).toBe(cost['output_tokens']);
    expect(sum('gen_ai.usage.input_tokens')).toBe(
      cost['input_tokens']! + cost['cache_read_tokens']! + cost['cache_write_tokens']!,
    );
    expect(named(ROOT)[0]?.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'traced',
      'gen_ai.usage.output_tokens': cost['output_tokens'],
      'sandgate.run.status': 'completed',
      'sandgate.run.tool_calls': 3,
    });
  });

  it('each tool call says what was decided and who decided it, and where the rest stands in the ledger', async () => {
    const calls = receiver.spans
      .filter((span) => span.name.startsWith('execute_tool '))
      .toSorted((one, other) => Number(one.startNanos - other.startNanos));
    expect(calls.map(({ attributes }) => [attributes['gen_ai.tool.name'], attributes['sandgate.gate.verdict'], attributes['sandgate.gate.source'], attributes['sandgate.gate.answer']])).toEqual([
      ['Read', 'allow', 'policy', 'allow'],
      ['Write', 'allow', 'policy', 'allow'],
      ['Bash', 'require_approval', 'human', 'allow'],
    ]); // prettier-ignore
    const timeline = await stack.timeline(run);
    const first = timeline.find(({ seq }) => seq === calls[0]?.attributes['sandgate.event.seq']);
    expect(first).toMatchObject({ type: 'tool.decision', payload: { data: { tool: 'Read' } } });
  });

  it('nothing of the content, of paths or of secrets is in a span, in a metric or on the way to the collector', () => {
    const sent = receiver.requests.map(({ headers, body }) => `${headers}\n${body.toString('utf8')}`).join('\n');
    expect(receiver.requests.every(({ path }) => path === '/v1/traces')).toBe(true);
    expect(sent).toContain('x-collector\nyes');
    expect(receiver.extras).toEqual([]);
    const forbidden = [
      'CANARY',
      folder,
      stack.dataDir,
      stack.installation.adminToken,
      'svc_sess_',
      'toolu_',
      'node_modules',
    ];
    for (const text of [sent, scraped]) expect(forbidden.filter((word) => text.includes(word))).toEqual([]);
    expect(scraped).not.toContain(run);
  });

  it('log lines of its requests and steps carry the trace', () => {
    const lines = readFileSync(join(stack.dataDir, 'logs', 'api.log'), 'utf8').split('\n');
    const created = lines.find((line) => line.includes('"path":"/v1/sessions"') && line.includes('"method":"POST"'));
    expect(JSON.parse(created ?? '{}')).toMatchObject({ trace_id: CALLER.traceId });
  });

  it('CP-066 the metrics of both processes say what happened, to the number', async () => {
    const cost = await stack.json<Record<string, number>>('GET', `/v1/sessions/${run}/cost`);
    expect(Object.fromEntries(api.series)).toMatchObject({
      service_runs_created_total: 1,
      'service_gate_decisions_total{verdict="allow"}': 3,
      'service_gate_decisions_total{verdict="require_approval"}': 1,
      'service_gate_tool_decisions_total{tool="Bash",verdict="allow"}': 1,
      'service_approvals_settled_total{decision="approved_once"}': 1,
      'service_llm_requests_total{dialect="anthropic",status="2xx"}': model.requests.length,
      'service_llm_first_byte_seconds_count{dialect="anthropic"}': model.requests.length,
      'service_llm_reservations_total{event="booked"}': model.requests.length,
      'service_llm_reservations_total{event="charged"}': model.requests.length,
      [`service_llm_tokens_total{kind="output",model="${MODEL}"}`]: cost['output_tokens'],
      [`service_llm_tokens_total{kind="input",model="${MODEL}"}`]: cost['input_tokens'],
      service_llm_requests_in_flight: 0,
      'service_runs{status="running"}': 0,
      service_approvals_pending: 0,
      service_hosts_online: 1,
    });
    expect(api.sum('service_llm_cost_usd_total')).toBeCloseTo(cost['cost_usd']!, 6);
    expect(Object.fromEntries(worker.series)).toMatchObject({
      'service_runs_terminal_total{outcome="completed"}': 1,
      service_run_queue_wait_seconds_count: 1,
      service_run_provisioning_latency_seconds_count: 1,
      'service_run_duration_seconds_count{outcome="completed"}': 1,
      service_active_runs: 0,
    });
    const total = (await stack.timeline(run)).length;
    expect(api.sum('service_ledger_events_total') + worker.sum('service_ledger_events_total')).toBe(total);
    expect(await scrape(ports[2]!)).toContain('temporal_');
  });

  it('docs/observability.md lists every metric, and none that is not there', () => {
    const page = readFileSync(new URL('../../../docs/observability.md', import.meta.url), 'utf8');
    const listed = [...page.matchAll(/^\| (`service_.*?) \|/gm)].flatMap(
      ([, cell]) => cell?.match(/service_\w+/g) ?? [],
    );
    const served = [...api.types.keys(), ...worker.types.keys()].filter((name) => name.startsWith('service_'));
    expect([...new Set(listed)].sort()).toEqual([...new Set(served)].sort());
  });
});

describe('tracing that nobody asked for', () => {
  it('loads neither SDK nor exporter into API or worker', () => {
    const built = (path: string) => new URL(`../../../dist/src/${path}`, import.meta.url).href;
    const program = `
      import { registerHooks } from 'node:module';
      const loaded = new Set();
      registerHooks({ load: (url, context, next) => { loaded.add(url); return next(url, context); } });
      await import('reflect-metadata');
      const { startTracing } = await import(${JSON.stringify(built('platform/telemetry/start-tracing.js'))});
      await startTracing('test', {}, console);
      await import(${JSON.stringify(built('api/create-api.js'))});
      await import(${JSON.stringify(built('worker/start-worker.js'))});
      const of = (name) => [...loaded].filter((url) => url.includes('/@opentelemetry/' + name)).length;
      const before = of('sdk') + of('exporter') + of('otlp');
      const tracing = await startTracing('test', { OTEL_TRACES_EXPORTER: 'console' }, console);
      console.log(JSON.stringify({ before, after: of('sdk'), on: tracing.on }));
      process.exit();`;
    const said = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd: fileURLToPath(new URL('../../..', import.meta.url)),
      encoding: 'utf8',
    });
    expect(JSON.parse(said)).toEqual({ before: 0, after: expect.any(Number), on: true });
    expect((JSON.parse(said) as { after: number }).after).toBeGreaterThan(0);
  }, 60_000);
});

function scrape(port: number): Promise<string> {
  return fetch(`http://127.0.0.1:${port}/metrics`).then((response) => response.text());
}

import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { parse } from 'yaml';
import type { DeploymentFigures } from './deployment-figures.js';
import { DeploymentMetrics } from './deployment-metrics.js';
import { listenForScrapes } from '../../platform/telemetry/metrics-listener.js';
import { Metrics } from './metrics.js';

const FIGURES: DeploymentFigures = {
  runs: new Map([['queued', 3]]),
  approvalsPending: 2,
  reservationsLive: 1,
  outboxWaiting: 0,
  hostsOnline: 1,
  hostCapacity: 4,
};

describe('the metrics listener', () => {
  const closing: (() => void)[] = [];
  afterEach(() => closing.splice(0).forEach((close) => close()));

  it('CP-066 answers GET /metrics without authentication and nothing else', async () => {
    const server = await listenForScrapes(new Metrics(), { host: '127.0.0.1', port: 0 }, { error: fail });
    closing.push(() => server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const scraped = await fetch(`${url}/metrics`);
    expect(scraped.status).toBe(200);
    expect(scraped.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await scraped.text()).toContain('process_cpu_seconds_total');
    for (const [method, path] of [
      ['GET', '/'],
      ['GET', '/v1/health'],
      ['GET', '/internal/heartbeat'],
      ['GET', '/metrics/x'],
      ['POST', '/metrics'],
    ] as const) {
      const refused = await fetch(`${url}${path}`, { method });
      expect([refused.status, Object.keys((await refused.json()) as object)]).toEqual([404, ['error']]);
    }
  });

  it('refuses an address that is taken', async () => {
    const metrics = new Metrics();
    const first = await listenForScrapes(metrics, { host: '127.0.0.1', port: 0 }, { error: fail });
    closing.push(() => first.close());
    const { port } = first.address() as AddressInfo;
    await expect(listenForScrapes(metrics, { host: '127.0.0.1', port }, { error: fail })).rejects.toThrow('EADDRINUSE');
  });

  it('outlives a failure of its own, which is logged', async () => {
    const said: unknown[] = [];
    const server = await listenForScrapes(
      new Metrics(),
      { host: '127.0.0.1', port: 0 },
      { error: (fields: unknown) => said.push(fields) },
    );
    server.emit('error', new Error('out of descriptors'));
    expect(said).toHaveLength(1);
    server.close();
    await once(server, 'close');
  });
});

describe('the metrics of a process', () => {
  it('observe the event loop and the collections of garbage once, however often they are made', async () => {
    const [first, second] = [new Metrics(), new Metrics()];
    for (const name of ['nodejs_eventloop_lag_seconds', 'nodejs_gc_duration_seconds']) {
      expect(first.registry.getSingleMetric(name)).toBe(second.registry.getSingleMetric(name));
      expect(await second.render()).toContain(`# TYPE ${name} `);
    }
  });
});

describe('gauges of the deployment under scrapes', () => {
  it('are read once however often they are scraped', async () => {
    const registry = new Registry();
    let reads = 0;
    new DeploymentMetrics(registry, () => Promise.resolve({ ...FIGURES, outboxWaiting: ++reads }), fail);
    await Promise.all([registry.metrics(), registry.metrics()]);
    const text = await registry.metrics();
    expect(text).toContain('service_outbox_waiting 1\n');
    expect(text).toContain('service_runs{status="queued"} 3\n');
    expect(text).toContain('service_runs{status="running"} 0\n');
    expect(text).not.toContain('completed');
  });

  it('vanish while the record does not answer, and the scrape is answered all the same', async () => {
    const registry = new Registry();
    const failures: unknown[] = [];
    new DeploymentMetrics(
      registry,
      () => Promise.reject(new Error('the database is away')),
      (error) => failures.push(error),
    );
    const text = await registry.metrics();
    expect(text).not.toMatch(/^service_/m);
    expect(failures).toHaveLength(1);
  });

  it('do not hold a scrape up while the record is slow', async () => {
    const registry = new Registry();
    new DeploymentMetrics(registry, () => new Promise(() => undefined), fail);
    expect(await registry.metrics()).toContain('# TYPE service_runs gauge');
  });
});

function fail(error: unknown): void {
  throw error;
}

describe('what is shipped beside the metrics', () => {
  const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
  const documented = new Set(read('docs/observability.md').match(/service_[a-z_]*[a-z]/g));

  it.each(['deploy/prometheus/sandgate-alerts.yaml', 'deploy/grafana/sandgate.json'])(
    '%s asks for documented metrics only',
    (path) => {
      const asked = [...(read(path).match(/service_[a-z_]*[a-z]/g) ?? [])].map((name) =>
        name.replace(/_(bucket|count|sum)$/, ''),
      );
      expect(asked.length).toBeGreaterThan(10);
      expect([...new Set(asked)].filter((name) => !documented.has(name))).toEqual([]);
    },
  );

  it('the alert rules and the board can be read', () => {
    const { groups } = parse(read('deploy/prometheus/sandgate-alerts.yaml')) as { groups: { rules: object[] }[] };
    for (const rule of groups.flatMap(({ rules }) => rules)) {
      expect(rule).toMatchObject({
        alert: expect.any(String),
        expr: expect.any(String),
        annotations: { summary: expect.any(String) },
      });
    }
    expect(JSON.parse(read('deploy/grafana/sandgate.json'))).toMatchObject({ title: 'Sandgate' });
  });
});

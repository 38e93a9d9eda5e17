import { readFileSync, readdirSync } from 'node:fs';
import type { LiveStack } from '../../support/installation/live-stack.js';
import { pidOf } from '../../support/installation/part-pid.js';
import type { StackDatabase } from '../../support/installation/stack-database.js';
import { readMetrics } from '../../support/telemetry/scraped-metrics.js';
import type { Figures } from './growth.js';

const PARTS = ['api', 'worker'] as const;
/** The connections of the services, by the names under which they log in. */
const CONNECTIONS = `
  select application_name as name, count(*)::int as count from pg_stat_activity
   where application_name like 'sandgate-%' group by 1`;

/** What the kernel knows of a process: resident bytes, and open files, sockets and pipes. */
export function processFigures(name: string, pid: number): Figures {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return {
    [`${name}.resident`]: Number(kib) * 1024,
    [`${name}.descriptors`]: readdirSync(`/proc/${pid}/fd`).length,
  };
}

/** Reads what API and worker hold: memory, handles and connections to the database. */
export class ResourceRecorder {
  /** @param metricsPorts where API and worker answer scrapes */
  constructor(
    private readonly stack: LiveStack,
    private readonly database: StackDatabase,
    private readonly metricsPorts: Readonly<Record<(typeof PARTS)[number], number>>,
  ) {}

  async sample(): Promise<Figures> {
    const parts = await Promise.all(PARTS.map((part) => this.samplePart(part)));
    const connections = await this.database.query<{ name: string; count: number }>(CONNECTIONS);
    const total = connections.reduce((sum, { count }) => sum + count, 0);
    return Object.assign({ 'connections.all': total }, ...parts) as Figures;
  }

  private async samplePart(part: (typeof PARTS)[number]): Promise<Figures> {
    const pid = pidOf(this.stack.installation, part);
    const response = await fetch(`http://127.0.0.1:${this.metricsPorts[part]}/metrics`, {
      signal: AbortSignal.timeout(30_000),
    });
    const metrics = readMetrics(await response.text());
    return {
      ...processFigures(part, pid),
      [`${part}.heap`]: metrics.sum('nodejs_heap_size_used_bytes'),
      [`${part}.resources`]: metrics.sum('nodejs_active_resources_total'),
    };
  }
}

import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as it arrived over OTLP, in the form that tests compare. */
export interface ReceivedSpan {
  service: string;
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  startNanos: bigint;
  endNanos: bigint;
  attributes: Record<string, string | number | boolean>;
  /** 2 is an error. */
  status: number;
}

interface OtlpValue {
  stringValue?: string;
  intValue?: string | number;
  doubleValue?: number;
  boolValue?: boolean;
}

interface OtlpExport {
  resourceSpans?: {
    resource?: { attributes?: { key: string; value: OtlpValue }[] };
    scopeSpans?: { spans?: OtlpSpan[] }[];
  }[];
}

interface OtlpSpan {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes?: { key: string; value: OtlpValue }[];
  status?: { code?: number };
  events?: unknown[];
  links?: unknown[];
}

/** An OTLP collector over HTTP that keeps every byte: JSON is read into spans, protobuf is kept as it came. */
export interface SpanReceiver {
  url: string;
  spans: ReceivedSpan[];
  /** Events and links of spans: we write none. */
  extras: unknown[];
  /** Whole requests, headers included. */
  requests: { path: string; contentType: string; headers: string; body: Buffer }[];
  close(): Promise<void>;
}

export async function startSpanReceiver(): Promise<SpanReceiver> {
  const receiver: Omit<SpanReceiver, 'url' | 'close'> = { spans: [], extras: [], requests: [] };
  const server = createServer((request, response) => {
    void readAll(request).then((body) => {
      const contentType = request.headers['content-type'] ?? '';
      receiver.requests.push({ path: request.url ?? '', contentType, headers: request.rawHeaders.join('\n'), body });
      if (contentType.includes('json')) read(receiver, JSON.parse(body.toString('utf8')) as OtlpExport);
      response.writeHead(200, { 'content-type': contentType }).end(contentType.includes('json') ? '{}' : '');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    ...receiver,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function read(into: Omit<SpanReceiver, 'url' | 'close'>, { resourceSpans }: OtlpExport): void {
  for (const { resource, scopeSpans } of resourceSpans ?? []) {
    const service = String(valuesOf(resource?.attributes)['service.name']);
    for (const span of (scopeSpans ?? []).flatMap((scope) => scope.spans ?? [])) {
      into.extras.push(...(span.events ?? []), ...(span.links ?? []));
      into.spans.push({
        service,
        name: span.name,
        kind: span.kind,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? '',
        startNanos: BigInt(span.startTimeUnixNano),
        endNanos: BigInt(span.endTimeUnixNano),
        attributes: valuesOf(span.attributes),
        status: span.status?.code ?? 0,
      });
    }
  }
}

function valuesOf(attributes: { key: string; value: OtlpValue }[] = []): ReceivedSpan['attributes'] {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.boolValue ?? value.doubleValue ?? Number(value.intValue),
    ]),
  );
}

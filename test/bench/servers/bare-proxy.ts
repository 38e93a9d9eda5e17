import { createServer, type ServerResponse } from 'node:http';
import { Agent, type Dispatcher } from 'undici';
import { serve, settings } from './report-port.js';

/** A proxy on undici that passes bytes and knows nothing of models: the least that a gateway in JavaScript costs. */
const { upstream } = settings<{ upstream: string }>();
const agent = new Agent({ connections: 512, pipelining: 1, keepAliveTimeout: 60_000 });

class Pass implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | null = null;

  constructor(private readonly response: ServerResponse) {
    response.on('drain', () => this.controller?.resume());
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: object): void {
    this.response.writeHead(status, { ...headers });
    this.response.flushHeaders();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.response.write(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    this.response.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.response.destroy(error);
  }
}

serve(
  createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const headers = { 'content-type': 'application/json', 'x-api-key': 'bench' };
      agent.dispatch({ origin: upstream, path: '/v1/messages', method: 'POST', headers, body }, new Pass(response));
    });
  }),
);

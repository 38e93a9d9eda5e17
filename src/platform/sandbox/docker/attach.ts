// eslint-disable-next-line @typescript-eslint/no-restricted-imports -- the engine's socket is a file of this host
import { request } from 'node:http';
import type { Duplex } from 'node:stream';
import { SandgateError } from '../../../domain/errors.js';

const TIMEOUT_MS = 10_000;
const MAX_REFUSAL_CHARACTERS = 4096;

/**
 * Opens the streams of a container that is about to start: what is written is its input, what is read are the frames of its outputs. An
 * upgrade of our own, because the client library would write its options into the container's input.
 * @throws SandgateError `unavailable` or `sandbox_failed`
 */
export function attach(socketPath: string, id: string): Promise<Duplex> {
  const path = `/containers/${encodeURIComponent(id)}/attach?stream=1&stdin=1&stdout=1&stderr=1`;
  const headers = { connection: 'Upgrade', upgrade: 'tcp', 'content-type': 'application/vnd.docker.raw-stream' };
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath, path, method: 'POST', headers, timeout: TIMEOUT_MS });
    asked.once('upgrade', (_response, stream, head) => {
      stream.setTimeout(0);
      if (head.length > 0) stream.unshift(head);
      resolve(stream);
    });
    asked.once('response', (response) => {
      let said = '';
      response
        .setEncoding('utf8')
        .on('data', (text: string) => (said = (said + text).slice(0, MAX_REFUSAL_CHARACTERS)));
      // Podman sets the container up while it attaches, so this may be about anything in its shape.
      response.once('close', () =>
        reject(new SandgateError('sandbox_failed', `the engine cannot prepare a container: ${said.trim()}`)),
      );
    });
    asked.once('timeout', () => asked.destroy(new Error('no answer')));
    asked.once('error', (cause) =>
      reject(new SandgateError('unavailable', 'the container could not be attached to', { cause })),
    );
    asked.end();
  });
}

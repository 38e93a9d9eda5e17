import { randomUUID } from 'node:crypto';
import { askEngine } from '../../../src/platform/sandbox/docker/ask-engine.js';
import type { PodmanService } from '../../support/engine/podman-service.js';

/** A container as anybody would make it: no network, a shell, and nothing of the profile of a sandbox. */
export interface BareContainer {
  id: string;
  /** Milliseconds from asking for it until the engine has said that it was started. */
  took: number;
}

export async function startBareContainer(
  engine: PodmanService,
  image: string,
  command: string,
): Promise<BareContainer> {
  const from = performance.now();
  const { Id: id } = (await ask(engine, 'POST', `/containers/create?name=bare-${randomUUID()}`, {
    ...{ Image: image, Cmd: ['/bin/sh', '-c', command] },
    HostConfig: { NetworkMode: 'none' },
  })) as { Id: string };
  await ask(engine, 'POST', `/containers/${id}/start`);
  return { id, took: performance.now() - from };
}

export async function removeContainer(engine: PodmanService, id: string): Promise<void> {
  await ask(engine, 'DELETE', `/containers/${id}?force=true`);
}

async function ask(engine: PodmanService, method: string, path: string, body?: object): Promise<unknown> {
  const question = { method, path, ...(body === undefined ? {} : { body }) };
  const answer = await askEngine(engine.socket, question);
  if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}

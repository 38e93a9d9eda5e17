import { randomUUID } from 'node:crypto';
import type { StartedDocsvc } from '../../support/installation/started-docsvc.js';
import type { SentPart } from './send-parts.js';

/** Addresses that are asked for in one request. */
const SIGNED_AT_ONCE = 100;

interface OpenedUpload {
  id: string;
  partSizeBytes: number;
  partCount: number;
}

/** One upload of a running installation. */
export class UploadSession {
  private constructor(
    private readonly docsvc: StartedDocsvc,
    readonly sizeBytes: number,
    readonly opened: OpenedUpload,
  ) {}

  static async open(
    docsvc: StartedDocsvc,
    projectId: string,
    sizeBytes: number,
    partSizeBytes?: number,
    ending = 'txt',
  ) {
    const body = {
      name: `bench ${randomUUID()}.${ending}`,
      sizeBytes,
      ...(partSizeBytes === undefined ? {} : { partSizeBytes }),
    };
    return new UploadSession(
      docsvc,
      sizeBytes,
      await post<OpenedUpload>(docsvc, `/api/projects/${projectId}/uploads`, body, 201),
    );
  }

  /** Addresses of these parts, or of all. */
  async parts(numbers = Array.from({ length: this.opened.partCount }, (_, at) => at + 1)): Promise<SentPart[]> {
    const { id, partSizeBytes } = this.opened;
    const parts: SentPart[] = [];
    for (let at = 0; at < numbers.length; at += SIGNED_AT_ONCE) {
      const partNumbers = numbers.slice(at, at + SIGNED_AT_ONCE);
      const signed = await post<{ partNumber: number; url: string }[]>(
        this.docsvc,
        `/api/uploads/${id}/parts`,
        { partNumbers },
        200,
      );
      for (const { partNumber, url } of signed)
        parts.push({ url, bytes: Math.min(partSizeBytes, this.sizeBytes - (partNumber - 1) * partSizeBytes) });
    }
    return parts;
  }

  /** Parts that the server has. */
  async received(): Promise<number> {
    const answer = await this.docsvc.request(`/api/uploads/${this.opened.id}`);
    return ((await answer.json()) as { receivedParts: object[] }).receivedParts.length;
  }

  /** @returns the id of the document that it became */
  async complete(): Promise<string> {
    const path = `/api/uploads/${this.opened.id}/complete`;
    return (await post<{ document: { id: string } }>(this.docsvc, path, {}, 202)).document.id;
  }

  async abort(): Promise<void> {
    await this.docsvc.request(`/api/uploads/${this.opened.id}`, { method: 'DELETE' });
  }
}

/** @returns the id of a new project */
export async function makeProject(docsvc: StartedDocsvc, settings: object = {}): Promise<string> {
  const { id: workspaceId } = await post<{ id: string }>(docsvc, '/api/workspaces', { name: 'Bench' }, 201);
  return (await post<{ id: string }>(docsvc, '/api/projects', { workspaceId, name: 'Bench', settings }, 201)).id;
}

/** @throws Error when another status is answered */
export async function post<A>(docsvc: StartedDocsvc, path: string, body: object, expected: number): Promise<A> {
  const answer = await docsvc.request(path, { method: 'POST', body: JSON.stringify(body) });
  const text = await answer.text();
  if (answer.status !== expected) throw new Error(`${path} answered ${answer.status}: ${text}`);
  return JSON.parse(text) as A;
}

import { stat } from 'node:fs/promises';
import { rangeOfPart, type PartPlan } from '../../domain/uploads/part-plan.js';
import type { CliContext } from '../context/cli-context.js';
import { ApiError } from '../server/docsvc-api.js';
import type { Schemas } from '../server/schemas.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { sendPart, UploadGoneError } from './send-part.js';
import { UploadState, type UploadIdentity } from './upload-state.js';

/** A file that is to become a document. */
export interface FileToSend {
  /** Absolute. */
  file: string;
  name: string;
  /** Told how many parts are there, of how many. */
  progress: (done: number, all: number) => void;
}

/** The session that a file is sent to. */
interface Session {
  id: string;
  plan: PartPlan;
  missing: number[];
  addresses: Map<number, string>;
}

const SIGNED_AT_ONCE = 100;

/**
 * Sends a file in parts, several at a time, and completes it. Killed and called again it goes on where it was (DI-007), and begins anew where
 * that is gone.
 *
 * @returns the document and its new version
 * @throws CliError when the file changes meanwhile, or a part does not get through
 */
export async function uploadFile(context: CliContext, file: FileToSend): Promise<Schemas['AddedVersion']> {
  const { size: sizeBytes, mtimeMs: modifiedMs } = await stat(file.file);
  if (sizeBytes === 0) throw new CliError(`${file.file} is empty; a document has at least one byte`, EXIT.usage);
  const { origin, project } = context;
  const identity = { origin, project, name: file.name, file: file.file, sizeBytes, modifiedMs };
  const state = new UploadState(context.places.uploads, identity);
  for (;;) {
    const resumed = await findSession(context, state);
    if (resumed === null) state.forget();
    try {
      const session = resumed ?? (await openSession(context, state, identity));
      const made = await sendAll(context, session, file, identity);
      state.forget();
      return made;
    } catch (error) {
      if (!isGone(error)) throw error;
      state.forget();
      if (resumed === null) throw error;
      context.note(`${file.name}: the upload that was begun is gone; it begins anew`);
    }
  }
}

async function sendAll(
  context: CliContext,
  session: Session,
  { file, progress }: FileToSend,
  identity: UploadIdentity,
): Promise<Schemas['AddedVersion']> {
  await sendMissing(context, session, file, progress);
  await assertUnchanged(file, identity);
  return context.api.object<Schemas['AddedVersion']>(`/api/uploads/${session.id}/complete`, {
    method: 'POST',
    body: {},
  });
}

/** Whether an upload, or what it came to, is no longer there. */
function isGone(error: unknown): boolean {
  if (error instanceof UploadGoneError) return true;
  return error instanceof ApiError && (error.status === 404 || error.status === 410);
}

/** The upload that was begun before, as far as it can go on. */
async function findSession(context: CliContext, state: UploadState): Promise<Session | null> {
  const id = state.uploadId;
  if (id === null) return null;
  try {
    const found = await context.api.object<Schemas['UploadProgress']>(`/api/uploads/${encodeURIComponent(id)}`);
    if (found.status === 'aborted' || found.status === 'expired') return null;
    const missing = found.missingRanges.flatMap(({ first, last }) =>
      Array.from({ length: last - first + 1 }, (_, at) => first + at),
    );
    return { id, plan: planOf(found), missing, addresses: new Map() };
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

async function openSession(context: CliContext, state: UploadState, identity: UploadIdentity): Promise<Session> {
  const path = `/api/projects/${encodeURIComponent(identity.project)}/uploads`;
  const { name, sizeBytes } = identity;
  const opened = await context.api.object<Schemas['OpenedUpload']>(path, { method: 'POST', body: { name, sizeBytes } });
  const { id } = opened;
  state.remember(id);
  const plan = planOf(opened);
  const missing = Array.from({ length: plan.partCount }, (_, at) => at + 1);
  return { id, plan, missing, addresses: addressesOf(opened.partUrls) };
}

async function sendMissing(
  context: CliContext,
  { id, plan, missing, addresses }: Session,
  file: string,
  progress: FileToSend['progress'],
): Promise<void> {
  const queue = [...missing];
  let done = plan.partCount - missing.length;
  progress(done, plan.partCount);
  const address = async (partNumber: number, refused: boolean): Promise<string> => {
    if (refused) addresses.delete(partNumber);
    if (!addresses.has(partNumber)) {
      const partNumbers = [partNumber, ...queue.slice(0, SIGNED_AT_ONCE - 1)];
      const signed = await context.api.request(`/api/uploads/${id}/parts`, { method: 'POST', body: { partNumbers } });
      for (const [number, url] of addressesOf(signed as unknown as Schemas['PartUrl'][])) addresses.set(number, url);
    }
    return addresses.get(partNumber) ?? '';
  };
  let failed = false;
  const work = async (): Promise<void> => {
    for (let partNumber = queue.shift(); partNumber !== undefined && !failed; partNumber = queue.shift()) {
      const number = partNumber;
      const range = rangeOfPart(plan, number);
      const part = { file, partNumber: number, range, address: (refused: boolean) => address(number, refused) };
      await sendPart(part, context.settings['upload.retry_attempts']);
      done += 1;
      progress(done, plan.partCount);
    }
  };
  const workers = Array.from({ length: context.settings['upload.concurrency'] }, () =>
    work().catch((error: unknown) => {
      failed = true;
      throw error;
    }),
  );
  const settled = await Promise.allSettled(workers);
  const broken = settled.find((one) => one.status === 'rejected');
  if (broken !== undefined) throw broken.reason;
}

async function assertUnchanged(file: string, { sizeBytes, modifiedMs }: UploadIdentity): Promise<void> {
  const now = await stat(file);
  if (now.size === sizeBytes && now.mtimeMs === modifiedMs) return;
  throw new CliError(`${file} changed while it was sent; send it again`, EXIT.conflict);
}

function planOf({ sizeBytes, partSizeBytes, partCount }: Schemas['UploadSession']): PartPlan {
  return { sizeBytes, partSizeBytes, partCount };
}

function addressesOf(parts: readonly Schemas['PartUrl'][]): Map<number, string> {
  return new Map(parts.map(({ partNumber, url }) => [partNumber, url]));
}

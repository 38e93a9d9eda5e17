import { posix } from 'node:path';
import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Egress } from '../../../../src/platform/egress/egress.js';
import { EgressError } from '../../../../src/platform/egress/egress-error.js';
import type { Caller } from '../../core/access/caller.js';
import { recordAudit } from '../../core/audit/record-audit.js';
import {
  addKeptContent,
  keepContent,
  MAX_ONE_SHOT_BYTES,
  type ContentDetails,
  type KeptContent,
} from '../../core/documents/add-content.js';
import { requireProject } from '../../core/projects/project-access.js';
import { checkMetadata, normalizeLabels } from '../../domain/documents/annotations.js';
import { DocsvcError, invalidMember } from '../../domain/errors.js';
import { DocumentStore } from '../foundation/store.module.js';
import { bringsForm } from '../http/file-form.js';
import { documentFieldsOf, type DocumentFields } from './document-fields.js';
import { readPlace, type AddedVersion } from './document-views.js';
import type { NewDocumentBody } from './documents.dto.js';
import { FormIntake } from './form-intake.js';

const FETCH_TIMEOUT_MS = 60_000;
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** Files that come whole in one request. */
@Injectable()
export class ContentService {
  constructor(
    private readonly documents: DocumentStore,
    private readonly egress: Egress,
    private readonly forms: FormIntake,
  ) {}

  /** @throws DocsvcError `not_found`, `too_large`, `invalid_request`, `quota_exceeded` */
  async add(caller: Caller, projectId: string, body: NewDocumentBody, request: FastifyRequest): Promise<AddedVersion> {
    const { record, store } = this.documents;
    await record.inOrganization(caller.orgId, (tx) => requireProject(tx, caller, projectId));
    if (bringsForm(request)) {
      const form = await this.forms.take(request);
      return this.addKept(caller, projectId, () => documentFieldsOf(form), form.kept);
    }
    const { name, content } = await this.contentOf(body);
    const kept = await keepContent(store, content).catch((error: unknown) => {
      throw describeEgress(error);
    });
    return this.addKept(caller, projectId, () => ({ ...body, name }), kept);
  }

  private async addKept(
    caller: Caller,
    projectId: string,
    fieldsOf: () => DocumentFields,
    kept: KeptContent,
  ): Promise<AddedVersion> {
    const details = (): ContentDetails => {
      const { name, contentType, metadata, labels } = fieldsOf();
      return {
        orgId: caller.orgId,
        projectId,
        name: name ?? '',
        contentType: contentType ?? null,
        metadata: checkMetadata(metadata ?? {}),
        labels: normalizeLabels(labels ?? []),
      };
    };
    const made = await addKeptContent(this.documents, kept, details, async (tx, place) => {
      await requireProject(tx, caller, projectId);
      await recordAudit(tx, caller, {
        action: 'version.created',
        subjectKind: 'document',
        subjectId: place.documentId,
        projectId,
        detail: { versionId: place.versionId, version: place.version },
      });
    });
    return this.documents.inOrganization(caller, (tx) => readPlace(tx, made));
  }

  private async contentOf(body: NewDocumentBody): Promise<{ name: string; content: Readable }> {
    const { name, contentBase64, sourceUrl } = body;
    if ((contentBase64 === undefined) === (sourceUrl === undefined))
      throw invalidMember('body', 'send a form with a file, or either contentBase64 or sourceUrl');
    if (sourceUrl !== undefined) return { name: name ?? nameOf(sourceUrl), content: await this.fetch(sourceUrl) };
    if (name === undefined) throw invalidMember('name', 'a file in contentBase64 needs a name');
    return { name, content: Readable.from([decode(contentBase64 ?? '')], { objectMode: false }) };
  }

  /** The guard of the way out decides what may be reached; redirects are none of it. */
  private async fetch(url: string): Promise<Readable> {
    try {
      const answer = await this.egress.guarded.request({
        method: 'GET',
        url,
        headers: { accept: '*/*' },
        timeoutMs: FETCH_TIMEOUT_MS,
        maxBodyBytes: MAX_ONE_SHOT_BYTES,
        redirects: 'refuse',
      });
      if (answer.status === 200) return answer.body.on('error', () => undefined);
      answer.discard();
      throw invalidMember('sourceUrl', `the server answered ${answer.status}`);
    } catch (error) {
      throw describeEgress(error);
    }
  }
}

function describeEgress(error: unknown): unknown {
  if (!(error instanceof EgressError)) return error;
  if (error.reason === 'too_large') return new DocsvcError('too_large', error.message, { cause: error });
  return invalidMember('sourceUrl', `was not fetched: ${error.message}`, `egress_${error.reason}`, error);
}

function decode(contentBase64: string): Buffer {
  if (!BASE64.test(contentBase64)) throw invalidMember('contentBase64', 'is not Base64');
  return Buffer.from(contentBase64, 'base64');
}

function nameOf(url: string): string {
  if (!URL.canParse(url)) throw invalidMember('sourceUrl', 'is not an address');
  const last = posix.basename(new URL(url).pathname);
  try {
    return decodeURIComponent(last);
  } catch (cause) {
    if (cause instanceof URIError) return last;
    throw cause;
  }
}

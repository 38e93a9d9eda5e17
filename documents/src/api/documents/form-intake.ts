import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { dropContent, keepContent, type KeptContent } from '../../core/documents/add-content.js';
import { DocumentStore } from '../foundation/store.module.js';
import { FormSpool } from '../http/form-spool.js';
import { bringsForm, readDocumentForm, type DocumentForm } from './document-form.js';

type KeptForm = DocumentForm<KeptContent>;

/** Forms with the bytes of a document, which go to the store while they arrive. */
@Injectable()
export class FormIntake extends FormSpool {
  private readonly waiting = new WeakMap<object, KeptForm>();

  constructor(private readonly documents: DocumentStore) {
    super();
  }

  async digest(request: FastifyRequest): Promise<Buffer | null> {
    if (!bringsForm(request)) return null;
    const form = await this.receive(request);
    this.waiting.set(request.raw, form);
    const { name, contentType, metadata, labels } = form.fields;
    const said = [name ?? null, contentType ?? null, metadata ?? null, labels ?? null];
    return createHash('sha256').update(JSON.stringify(said)).update(form.kept.sha256).digest();
  }

  async drop({ raw }: FastifyRequest): Promise<void> {
    const form = this.waiting.get(raw);
    if (form === undefined) return;
    this.waiting.delete(raw);
    await dropContent(this.documents.store, form.kept);
  }

  /**
   * The form of a request, which belongs to the caller from now on.
   *
   * @throws DocsvcError `invalid_request`, `too_large`
   */
  async take(request: FastifyRequest): Promise<KeptForm> {
    const form = this.waiting.get(request.raw) ?? (await this.receive(request));
    this.waiting.delete(request.raw);
    return form;
  }

  private receive(request: FastifyRequest): Promise<KeptForm> {
    const { store } = this.documents;
    return readDocumentForm(request, {
      keep: (file) => keepContent(store, file),
      drop: (kept) => dropContent(store, kept),
    });
  }
}

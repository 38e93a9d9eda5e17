import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { dropContent, keepContent, type KeptContent } from '../../core/documents/add-content.js';
import { DocumentStore } from '../foundation/store.module.js';
import { bringsForm, digestOfForm, readFileForm, type FileForm } from '../http/file-form.js';
import { FormSpool } from '../http/form-spool.js';

/** A form whose file is in the store. */
export type KeptForm = FileForm<KeptContent>;

/** Forms with a file, whose bytes go to the store while they arrive. */
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
    return digestOfForm(form, form.kept.sha256);
  }

  async drop({ raw }: FastifyRequest): Promise<void> {
    const form = this.waiting.get(raw);
    if (form === undefined) return;
    this.waiting.delete(raw);
    await this.discard(form);
  }

  /** Gives back the room of a form that was taken. */
  async discard({ kept }: KeptForm): Promise<void> {
    await dropContent(this.documents.store, kept);
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
    return readFileForm(request, {
      keep: (file) => keepContent(store, file),
      drop: (kept) => dropContent(store, kept),
    });
  }
}

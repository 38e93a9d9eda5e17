import { Injectable } from '@nestjs/common';
import { DocumentReader } from '../../platform/parsing/document-reader.js';
import { buildParserJail } from '../../platform/parsing/build-parser-jail.js';
import { ApiConfig } from '../foundation/foundation.module.js';

/** The jail of this host, built when the first page is to be shown: an API needs none for anything else. */
@Injectable()
export class ReaderOfHost {
  private reader: Promise<DocumentReader> | null = null;

  constructor(private readonly config: ApiConfig) {}

  /** @throws DocsvcError `unavailable` where no sandbox can be built */
  async get(): Promise<DocumentReader> {
    this.reader ??= buildParserJail(this.config.parsing).then((jail) => new DocumentReader(jail));
    try {
      return await this.reader;
    } catch (error) {
      this.reader = null;
      throw error;
    }
  }
}

import { Injectable } from '@nestjs/common';
import { ApiConfig } from '../../foundation/foundation.module.js';

/** Bytes of request bodies that this process holds at once (docs/design/runner.md). */
@Injectable()
export class BodyBudget {
  private held = 0;
  private readonly limit: number;

  constructor(config: ApiConfig) {
    this.limit = config.limits.bodyBytesInFlight;
  }

  /** Takes room for more bytes, or says that there is none. */
  take(bytes: number): boolean {
    if (this.held + bytes > this.limit) return false;
    this.held += bytes;
    return true;
  }

  release(bytes: number): void {
    this.held -= bytes;
  }
}

import { Injectable } from '@nestjs/common';
import type { Caller } from '../../core/access/caller.js';
import {
  DOWNLOAD_ADDRESS_TTL_SECS,
  PART_ADDRESS_TTL_SECS,
  signAddress,
  verifyAddress,
  type AddressGrant,
  type AddressSubject,
} from '../../domain/transport/signed-address.js';
import type { SignatureQuery } from './signature.dto.js';
import { DocsvcError } from '../../domain/errors.js';
import { SigningSalts } from '../../core/access/signing-salts.js';
import { publicUrl } from '../../platform/config/index.js';
import { ApiConfig } from '../foundation/foundation.module.js';

/** An address that needs no token, until it expires. */
export interface SignedUrl {
  url: string;
  expiresAt: Date;
}

const SECS = /^\d{1,12}$/;

/** Makes and checks the addresses under which parts are sent and files are fetched. */
@Injectable()
export class SignedUrls {
  constructor(
    private readonly config: ApiConfig,
    private readonly salts: SigningSalts,
  ) {}

  ofPart(caller: Caller, uploadId: string, partNumber: number): SignedUrl {
    const path = `/api/uploads/${uploadId}/parts/${partNumber}`;
    return this.sign(caller, path, PART_ADDRESS_TTL_SECS, { method: 'PUT', subjectId: uploadId, partNumber });
  }

  ofVersion(caller: Caller, versionId: string): SignedUrl {
    const path = `/api/downloads/${versionId}`;
    return this.sign(caller, path, DOWNLOAD_ADDRESS_TTL_SECS, {
      method: 'GET',
      subjectId: versionId,
      partNumber: null,
    });
  }

  /**
   * The organization that signed an address.
   *
   * @throws DocsvcError `forbidden` when nobody did, or when it has expired
   */
  async verify({ org, expires, signature }: SignatureQuery, asked: AddressSubject): Promise<string> {
    const salt = org === undefined ? null : await this.salts.find(org);
    if (org === undefined || salt === null || signature === undefined || !SECS.test(expires ?? '')) throw forged();
    const grant: AddressGrant = { ...asked, orgId: org, expiresAtSecs: Number(expires) };
    switch (verifyAddress(salt, grant, signature, Date.now() / 1000)) {
      case 'valid':
        return org;
      case 'expired':
        throw new DocsvcError('forbidden', 'this address has expired; ask for a new one');
      case 'forged':
        throw forged();
    }
  }

  private sign({ orgId, signingSalt }: Caller, path: string, ttlSecs: number, subject: AddressSubject): SignedUrl {
    const expiresAtSecs = Math.floor(Date.now() / 1000) + ttlSecs;
    const signature = signAddress(signingSalt, { ...subject, orgId, expiresAtSecs });
    const query = new URLSearchParams({ org: orgId, expires: String(expiresAtSecs), signature });
    return {
      url: `${publicUrl(this.config.http)}${path}?${query.toString()}`,
      expiresAt: new Date(expiresAtSecs * 1000),
    };
  }
}

function forged(): DocsvcError {
  return new DocsvcError('forbidden', 'this address is not signed for this request; ask for one');
}

import { Injectable, type PipeTransform } from '@nestjs/common';
import { Organizations, type Organization } from '../../core/organizations/organizations.js';

/** The organization that a path names by its slug. */
@Injectable()
export class OrgBySlug implements PipeTransform<string, Promise<Organization>> {
  constructor(private readonly organizations: Organizations) {}

  /** @throws SandgateError `not_found` */
  transform(slug: string): Promise<Organization> {
    return this.organizations.get(slug);
  }
}

/** The organization that the admin token acts for in a single-admin deployment (docs/design/identity.md). */
export class DeploymentOrganization {
  constructor(readonly id: string) {}
}

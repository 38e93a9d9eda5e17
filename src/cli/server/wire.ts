import type { Schemas } from '../../client/client.js';

/** The server's documents, under the words of the command line. */
export type Session = Schemas['SessionView'];
export type UsageTotals = Schemas['UsageTotals'];
export type Approval = Schemas['ApprovalView'];
export type ApprovalList = Schemas['ApprovalList'];
export type DecidedApproval = Schemas['DecidedApproval'];
export type Artifact = Schemas['ArtifactView'];
/** One line of the timeline, of any kind: the command line also meets servers that know later ones. */
export type RunEvent = Omit<Schemas['EventView'], 'type' | 'actor' | 'payload'> & {
  type: string;
  actor: 'agent' | 'system' | 'human' | 'harness';
  payload: { type: string; data: { [key: string]: unknown } };
};
export type Agent = Schemas['AgentView'];
export type Policy = Schemas['PolicyView'];
export type CapabilityListEntry = Schemas['CapabilityListEntry'];
export type Connection = Schemas['Connection'];
export type Snapshot = Schemas['Snapshot'];
export type CatalogEntry = Schemas['CatalogEntry'];
export type Trigger = Schemas['Trigger'];
export type AddressedTrigger = Omit<
  Schemas['TriggerWithHistory'],
  'sessions' | 'deliveries' | 'invocations' | 'dispatches'
>;
export type CreatedTrigger = Schemas['CreatedTrigger'];
export type TriggerWithHistory = Schemas['TriggerWithHistory'];
export type NewTrigger = Schemas['CreateTrigger'];
export type TriggerChange = Schemas['ChangeTrigger'];
export type Delivery = Schemas['DeliveryView'];
export type AppRegistration = Schemas['AppRegistrationView'];
export type Org = Schemas['Org'];
export type Idp = Schemas['Idp'];
export type NewIdp = Schemas['CreateIdp'];
export type IdpChange = Schemas['ChangeIdp'];
export type Member = Schemas['Member'];
export type Membership = Schemas['Membership'];
export type WebSession = Schemas['WebSession'];
export type MemberToken = Schemas['MemberToken'];
export type AuditEntry = Schemas['AuthAuditEntry'];
export type Upload = Schemas['UploadView'];
export type NewRun = Schemas['CreateSession'];

export type Decision = 'approved_once' | 'approved_session' | 'denied';

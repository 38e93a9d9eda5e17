import type { Schemas } from '../../client/client.js';

/** The server's documents, under the words of the command line. */
export type Session = Schemas['SessionView'];
export type UsageTotals = Schemas['UsageTotals'];
export type Approval = Schemas['ApprovalView'];
export type Artifact = Schemas['ArtifactView'];
export type RunEvent = Schemas['EventView'];
export type Agent = Schemas['AgentView'];
export type Policy = Schemas['PolicyView'];
export type CapabilityListEntry = Schemas['CapabilityListEntry'];
export type NewRun = Schemas['CreateSession'];

export type Decision = 'approved_once' | 'approved_session' | 'denied';

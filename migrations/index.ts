import { CreateRoles1700000000001 } from './1700000000001-create-roles.js';
import { CreateOrganizations1700000000002 } from './1700000000002-create-organizations.js';
import { CreatePolicies1700000000003 } from './1700000000003-create-policies.js';
import { CreateAgents1700000000004 } from './1700000000004-create-agents.js';
import { CreateSessions1700000000005 } from './1700000000005-create-sessions.js';
import { CreateApprovals1700000000006 } from './1700000000006-create-approvals.js';
import { CreateToolCallPayloads1700000000007 } from './1700000000007-create-tool-call-payloads.js';
import { CreateEvents1700000000008 } from './1700000000008-create-events.js';
import { CreateArtifacts1700000000009 } from './1700000000009-create-artifacts.js';
import { CreateUsage1700000000010 } from './1700000000010-create-usage.js';
import { CreateApiTokens1700000000011 } from './1700000000011-create-api-tokens.js';
import { CreateIdempotencyKeys1700000000012 } from './1700000000012-create-idempotency-keys.js';
import { CreateDriverOutbox1700000000013 } from './1700000000013-create-driver-outbox.js';
import { CreateHosts1700000000014 } from './1700000000014-create-hosts.js';
import { CreateTenantDeks1700000000015 } from './1700000000015-create-tenant-deks.js';
import { CreateLedgerAppend1700000000016 } from './1700000000016-create-ledger-append.js';
import { CreateGateFunctions1700000000017 } from './1700000000017-create-gate-functions.js';
import { CreateApprovalFunctions1700000000018 } from './1700000000018-create-approval-functions.js';
import { CreateReservationFunctions1700000000019 } from './1700000000019-create-reservation-functions.js';
import { CreateCapacity1700000000020 } from './1700000000020-create-capacity.js';
import { CreateSystemFunctions1700000000021 } from './1700000000021-create-system-functions.js';
import { CreateHostChoice1700000000022 } from './1700000000022-create-host-choice.js';
import { CreateHeartbeat1700000000023 } from './1700000000023-create-heartbeat.js';
import { CreateAppendCall1700000000024 } from './1700000000024-create-append-call.js';
import { SerializeHostChoice1700000000025 } from './1700000000025-serialize-host-choice.js';
import { ShortenGate1700000000026 } from './1700000000026-shorten-gate.js';
import { CheckByDomains1700000000027 } from './1700000000027-check-by-domains.js';
import { IndexRevisionsByPolicy1700000000030 } from './1700000000030-index-revisions-by-policy.js';
import { KeepPolicyViews1700000000035 } from './1700000000035-keep-policy-views.js';
import { IndexRunsByRevision1700000000036 } from './1700000000036-index-runs-by-revision.js';
import { BoundSealedCount1700000000037 } from './1700000000037-bound-sealed-count.js';
import { RefuseAfterIntent1700000000040 } from './1700000000040-refuse-after-intent.js';
import { MarkReleasedApprovals1700000000045 } from './1700000000045-mark-released-approvals.js';
import { CreateApprovalNotices1700000000046 } from './1700000000046-create-approval-notices.js';
import { CreateCapabilityBundles1700000000050 } from './1700000000050-create-capability-bundles.js';
import { AskForSandboxTools1700000000051 } from './1700000000051-ask-for-sandbox-tools.js';
import { RotateAdmission1700000000055 } from './1700000000055-rotate-admission.js';
import { DropSelfClaims1700000000056 } from './1700000000056-drop-self-claims.js';
import { DeferOutbox1700000000057 } from './1700000000057-defer-outbox.js';
import { WarnOfBudgets1700000000058 } from './1700000000058-warn-of-budgets.js';
import { ListOverspentRuns1700000000059 } from './1700000000059-list-overspent-runs.js';
import { GroupRunCalls1700000000065 } from './1700000000065-group-run-calls.js';
import { GroupModelCalls1700000000066 } from './1700000000066-group-model-calls.js';
import { AddHostProvider1700000000070 } from './1700000000070-add-host-provider.js';
import { AddHostHarnesses1700000000075 } from './1700000000075-add-host-harnesses.js';
import { PlaceByHarness1700000000076 } from './1700000000076-place-by-harness.js';
import { DropRegister1700000000080 } from './1700000000080-drop-register.js';
import { MeasureDeployment1700000000085 } from './1700000000085-measure-deployment.js';
import { RememberTraces1700000000086 } from './1700000000086-remember-traces.js';
import { CreateUsers1700000000090 } from './1700000000090-create-users.js';
import { CreateConnections1700000000091 } from './1700000000091-create-connections.js';
import { CreateToolSnapshots1700000000092 } from './1700000000092-create-tool-snapshots.js';
import { CountSealedColumns1700000000093 } from './1700000000093-count-sealed-columns.js';
import { CreateConnectorCatalog1700000000095 } from './1700000000095-create-connector-catalog.js';
import { SeedCuratedConnectors1700000000096 } from './1700000000096-seed-curated-connectors.js';
import { CreateResourceBindings1700000000097 } from './1700000000097-create-resource-bindings.js';
import { TieBindingsToConnections1700000000098 } from './1700000000098-tie-bindings-to-connections.js';
import { KnowBrokeredNames1700000000099 } from './1700000000099-know-brokered-names.js';
import { CreateToolExecutionClaims1700000000100 } from './1700000000100-create-tool-execution-claims.js';
import { CreateClaimFunctions1700000000101 } from './1700000000101-create-claim-functions.js';
import { CreateUpstreamSessions1700000000102 } from './1700000000102-create-upstream-sessions.js';
import { CreateDispatchReads1700000000103 } from './1700000000103-create-dispatch-reads.js';
import { CreateOauthRegistrations1700000000105 } from './1700000000105-create-oauth-registrations.js';
import { CreateOauthFlows1700000000106 } from './1700000000106-create-oauth-flows.js';
import { ShareAccessTokens1700000000107 } from './1700000000107-share-access-tokens.js';
import { CreateCodehostApps1700000000109 } from './1700000000109-create-codehost-apps.js';
import { CreateEgressLimits1700000000111 } from './1700000000111-create-egress-limits.js';
import { CreateDialFunctions1700000000112 } from './1700000000112-create-dial-functions.js';
import { LookUpPerCall1700000000117 } from './1700000000117-look-up-per-call.js';
import { TakeCallsAtOnce1700000000118 } from './1700000000118-take-calls-at-once.js';
import { AskStandingAtOnce1700000000119 } from './1700000000119-ask-standing-at-once.js';
import { ParseLinesOnce1700000000122 } from './1700000000122-parse-lines-once.js';
import { DescribeRevisions1700000000130 } from './1700000000130-describe-revisions.js';
import { IndexAskedCalls1700000000131 } from './1700000000131-index-asked-calls.js';

/** Every migration in order. An explicit list works the same from sources, tests and the built output. */
export const MIGRATIONS = [
  CreateRoles1700000000001,
  CreateOrganizations1700000000002,
  CreatePolicies1700000000003,
  CreateAgents1700000000004,
  CreateSessions1700000000005,
  CreateApprovals1700000000006,
  CreateToolCallPayloads1700000000007,
  CreateEvents1700000000008,
  CreateArtifacts1700000000009,
  CreateUsage1700000000010,
  CreateApiTokens1700000000011,
  CreateIdempotencyKeys1700000000012,
  CreateDriverOutbox1700000000013,
  CreateHosts1700000000014,
  CreateTenantDeks1700000000015,
  CreateLedgerAppend1700000000016,
  CreateGateFunctions1700000000017,
  CreateApprovalFunctions1700000000018,
  CreateReservationFunctions1700000000019,
  CreateCapacity1700000000020,
  CreateSystemFunctions1700000000021,
  CreateHostChoice1700000000022,
  CreateHeartbeat1700000000023,
  CreateAppendCall1700000000024,
  SerializeHostChoice1700000000025,
  ShortenGate1700000000026,
  CheckByDomains1700000000027,
  IndexRevisionsByPolicy1700000000030,
  KeepPolicyViews1700000000035,
  IndexRunsByRevision1700000000036,
  BoundSealedCount1700000000037,
  RefuseAfterIntent1700000000040,
  MarkReleasedApprovals1700000000045,
  CreateApprovalNotices1700000000046,
  CreateCapabilityBundles1700000000050,
  AskForSandboxTools1700000000051,
  RotateAdmission1700000000055,
  DropSelfClaims1700000000056,
  DeferOutbox1700000000057,
  WarnOfBudgets1700000000058,
  ListOverspentRuns1700000000059,
  GroupRunCalls1700000000065,
  GroupModelCalls1700000000066,
  AddHostProvider1700000000070,
  AddHostHarnesses1700000000075,
  PlaceByHarness1700000000076,
  DropRegister1700000000080,
  MeasureDeployment1700000000085,
  RememberTraces1700000000086,
  CreateUsers1700000000090,
  CreateConnections1700000000091,
  CreateToolSnapshots1700000000092,
  CountSealedColumns1700000000093,
  CreateConnectorCatalog1700000000095,
  SeedCuratedConnectors1700000000096,
  CreateResourceBindings1700000000097,
  TieBindingsToConnections1700000000098,
  KnowBrokeredNames1700000000099,
  CreateToolExecutionClaims1700000000100,
  CreateClaimFunctions1700000000101,
  CreateUpstreamSessions1700000000102,
  CreateDispatchReads1700000000103,
  CreateOauthRegistrations1700000000105,
  CreateOauthFlows1700000000106,
  ShareAccessTokens1700000000107,
  CreateCodehostApps1700000000109,
  CreateEgressLimits1700000000111,
  CreateDialFunctions1700000000112,
  LookUpPerCall1700000000117,
  TakeCallsAtOnce1700000000118,
  AskStandingAtOnce1700000000119,
  ParseLinesOnce1700000000122,
  DescribeRevisions1700000000130,
  IndexAskedCalls1700000000131,
];

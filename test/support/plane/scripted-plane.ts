/** The fixture of `sandgate conformance runner`, under the name that tests beside the runner know it by. */
export { ScriptedPlane } from '../../../src/cli/conformance/runner/scripted-plane.js';
export type * from '../../../src/cli/conformance/runner/scripted-plane.js';
export type * from '../../../src/cli/conformance/runner/contract-traffic.js';

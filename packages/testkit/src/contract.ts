// The contract: fixtures, the runner that holds a runtime against them, and the protocol to foreign runtimes.
export { type CliParts, EXIT, runCli } from './contract/cli.js';
export { compare, type Difference } from './contract/compare.js';
export { expand } from './contract/expand.js';
export {
  AREAS,
  type Expectation,
  type Fixture,
  type LambdaSetup,
  type McpItem,
  type Named,
  type Registration,
  type Setup,
  type Step,
} from './contract/fixture.js';
export { inProcess } from './contract/in-process.js';
export { canonicalJson, type Json, type JsonObject } from './contract/json.js';
export { type Failure, judge } from './contract/judge.js';
export { type Contract, type Invalid, loadContract, uncovered, type Validate } from './contract/load.js';
export {
  type ContractRuntime,
  type DoneMessage,
  type HelloAnswer,
  type HelloMessage,
  PROTOCOL,
  ProtocolError,
  type RunMessage,
  type UnsupportedMessage,
} from './contract/protocol.js';
export { refer } from './contract/refer.js';
export { type RunOptions, runContract, type Verdict } from './contract/run.js';
export { serveRuntime } from './contract/serve.js';
export { spawnRuntime } from './contract/spawn.js';

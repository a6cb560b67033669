// The contract: the fixtures, the runner that compares a runtime with them, and the protocol for runtimes in other languages.

export { canonicalJson } from '@sallyport/core/internal';
export { expand } from './fixtures/expand.js';
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
} from './fixtures/fixture.js';
export type { Json, JsonObject } from './fixtures/json.js';
export {
  type Contract,
  type Invalid,
  loadContract,
  type Requirement,
  uncovered,
  type Validate,
} from './fixtures/load.js';
export { refer } from './fixtures/refer.js';
export type { SurfaceName } from './fixtures/surface-name.js';
export { compare, type Difference } from './judge/compare.js';
export { type Failure, judge } from './judge/judge.js';
export {
  type ContractRuntime,
  type DoneMessage,
  type HelloAnswer,
  type HelloMessage,
  PROTOCOL,
  ProtocolError,
  type RunMessage,
  type UnsupportedMessage,
} from './protocol/protocol.js';
export { inProcess, spawnRuntime } from './protocol/runtimes.js';
export { serveRuntime } from './protocol/serve.js';
export { type CliParts, CONTRACT_EXIT, runCli } from './run/cli.js';
export { type RunOptions, runContract, type Verdict } from './run/run.js';

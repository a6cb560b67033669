import type { Reason } from './copies-rules.js';

/** Values that must not be forged or read. A value of another copy is rejected with an error that names the copies. */
const REGISTRIES_OF_ONE_COPY: readonly Reason[] = [
  {
    file: 'packages/core/src/context/principal.ts',
    name: 'bearers',
    why: 'a bearer token must not be read; bearerOf() rejects a principal whose token another copy keeps',
  },
  {
    file: 'packages/secure/src/postures/posture.ts',
    name: 'KNOWN',
    why: 'a posture must not be forged; the registration rejects one of another copy',
  },
  {
    file: 'packages/microvm/src/controller/caller.ts',
    name: 'facts',
    why: 'a caller must not be forged; factsOf() rejects one of another copy',
  },
  {
    file: 'packages/microvm/src/provider/secret-token.ts',
    name: 'values',
    why: 'a secret token must not be read; revealToken() rejects one of another copy',
  },
  {
    file: 'packages/mcp/src/server/internal/server-data.ts',
    name: 'SERVER_DATA',
    why: 'the data of a server has its secret; serverDataOf() rejects a server of another copy',
  },
  ...(
    [
      ['packages/mcp/src/compose/internal/route-files.ts', 'SOURCES'],
      ['packages/mcp/src/tasks/internal/session-methods.ts', 'ENABLED'],
      ['packages/mcp/src/tasks/internal/session-methods.ts', 'CHANGED'],
      ['packages/mcp/src/tasks/internal/session-methods.ts', 'LISTED'],
    ] as const
  ).map(([file, name]) => ({ file, name, why: 'keyed by the data of a server, which no other copy can read' })),
];

/** A second copy only does the same work again. */
const CACHES: readonly Reason[] = [
  ['packages/core/src/observability/hooks.ts', 'WARNED', 'one more warning'],
  ['packages/core/src/response/response.ts', 'KNOWN_NAMES', 'a cache of checked header names'],
  ['packages/jobs/src/ledger/internal/record-changes.ts', 'COUNTED', 'a hint that saves a rejected write'],
  ['packages/ratelimit/src/limiter/internal/report.ts', 'REPORTED', 'one more error line'],
  ['packages/secure/src/resolvers/authorizers/internal/read.ts', 'warned', 'one more warning'],
  ['packages/secure/src/resolvers/jwt/internal/keys.ts', 'REMOTE', 'a cache of public keys, fetched once more'],
  ['packages/constructs/src/internal/references.ts', 'indexes', 'a cache of the references of a tree, read once more'],
  ['packages/core/src/sanitize/internal/source-frames.ts', 'known', 'a cache of places in sources, read once more'],
  ['packages/mcp/src/run/internal/run.ts', 'NO_ASKS', 'an empty set that nothing is written to'],
].map(([file = '', name = '', why = '']) => ({ file, name, why }));

/** The value never leaves the package: one copy creates and reads it within one call. */
const WITHIN_ONE_COPY: readonly Reason[] = (
  [
    ['packages/dispatch/src/explain/row-check.ts', 'UNREADABLE'],
    ['packages/dispatch/src/internal/compile.ts', 'ABSENT'],
    ['packages/http/src/bind/internal/input.ts', 'ABSENT'],
    ['packages/http/src/pipeline/internal/body-stream.ts', 'ABORTED'],
    ['packages/http/src/websocket/client.ts', 'GONE'],
    ['packages/secure/src/internal/gate.ts', 'UNKNOWN_KIND'],
    ['packages/testkit/src/interleave/internal/scheduler.ts', 'LAZY'],
    ['packages/constructs/src/internal/props.ts', 'PropProblem'],
    ['packages/constructs/src/wiring/internal/run-entry.ts', 'read'],
    ['packages/mcp/src/agentcore/internal/call.ts', 'RpcError'],
    ['packages/mcp/src/http/internal/engine.ts', 'RpcError'],
    ['packages/mcp/src/run/internal/answer.ts', 'RpcError'],
    ['packages/mcp/src/run/internal/schema-check.ts', 'OverBudget'],
    ['packages/mcp/src/session/internal/answers.ts', 'RpcError'],
    ['packages/mcp/src/session/internal/answers.ts', 'TooLargeToStore'],
    ['packages/mcp/src/session/internal/call-stream.ts', 'StreamLost'],
    ['packages/mcp/src/session/internal/durable.ts', 'StreamLost'],
    ['packages/mcp/src/session/internal/serve.ts', 'RpcError'],
    ['packages/mcp/src/stateless/internal/serve.ts', 'RpcError'],
    ['packages/mcp/src/tasks/internal/run.ts', 'RpcError'],
    ['packages/mcp/src/tasks/internal/session-methods.ts', 'RpcError'],
    ['packages/mcp/src/tasks/internal/run.ts', 'TooLargeToStore'],
    ['packages/microvm/src/provider/https-transport.ts', 'BrokenConnection'],
    ['packages/objectstore/src/artifact/artifact.ts', 'ArchiveFault'],
    ['packages/ratelimit/src/limiter/dynamo-limiter.ts', 'OtherItems'],
    ['packages/ratelimit/src/limiter/internal/key-items.ts', 'OtherItems'],
    ['packages/triggers/src/kinds/authorizer-token.ts', 'UNAUTHORIZED'],
    ['packages/vectors/src/local/internal/exact-search.ts', 'Rest'],
    ['packages/vectors/src/testing/fake-store.ts', 'PartialWrite'],
  ] as const
).map(([file, name]) => ({ file, name, why: 'made and met within one call of one copy' }));

/** The command line runs one copy of its package. */
const LOCAL: readonly Reason[] = (
  [
    ['packages/local/src/internal/runtime/function-runtime.ts', 'InitFailure'],
    ['packages/local/src/internal/runtime/placement.ts', 'InitFailure'],
    ['packages/local/src/internal/runtime/pool.ts', 'InitFailure'],
    ['packages/local/src/internal/services/events/schedule.ts', 'CronError'],
    ['packages/local/src/internal/sources/patterns/pattern.ts', 'PatternError'],
  ] as const
).map(([file, name]) => ({ file, name, why: 'the local runtime is a program, which loads one copy of itself' }));

/** A value of another copy is an error that names the prop, never silently ignored. */
const REJECTED_PROPS: readonly Reason[] = (
  [
    ['packages/constructs/src/graphql/graphql-api.ts', 'GraphqlResolvers'],
    ['packages/constructs/src/http/function-url.ts', 'FunctionUrlAuth'],
    ['packages/constructs/src/http/internal/props.ts', 'ApiAuthorization'],
    ['packages/constructs/src/http/shared-rest-api.ts', 'RestEndpoint'],
    ['packages/constructs/src/mcp/mcp-server.ts', 'Challenge'],
    ['packages/constructs/src/mcp/mcp-server.ts', 'McpSessions'],
    ['packages/constructs/src/function/service-dashboard.ts', 'ServiceWiring'],
    ['packages/constructs/src/service/service-props.ts', 'Source'],
    ['packages/constructs/src/service/service-props.ts', 'Routes'],
  ] as const
).map(([file, name]) => ({ file, name, why: 'a value of another copy is rejected at synth, by the name of the prop' }));

const TOOLS: readonly Reason[] = [
  {
    file: 'packages/constructs/src/wiring/service-wiring.ts',
    name: 'ServiceWiring',
    why: 'sources that a wiring of another copy attached are reported as foreign',
  },
  ...['described', 'facts'].map((name) => ({
    file: 'packages/constructs/src/function/bundle-function.ts',
    name,
    why: 'code of another copy is code that this copy did not bundle: its exports are not checked',
  })),
  {
    file: 'packages/client/src/client.ts',
    name: 'ClientError',
    why: 'it has a brand of its own, because the package imports no other',
  },
  {
    file: 'packages/client/src/events.ts',
    name: 'ClientError',
    why: 'it has a brand of its own, because the package imports no other',
  },
  {
    file: 'packages/client/src/internal/exchange.ts',
    name: 'ClientError',
    why: 'it has a brand of its own, because the package imports no other',
  },
  {
    file: 'packages/client/src/tool.ts',
    name: 'ClientError',
    why: 'it has a brand of its own, because the package imports no other',
  },
  {
    file: 'packages/otel/src/tracing.ts',
    name: 'TraceSpan',
    why: 'a container passes only spans of its one tracer; below a span of another copy the tracer would begin a trace of its own',
  },
  {
    file: 'packages/testkit/src/simulate/models/pipeline-job.ts',
    name: 'DESKS',
    why: 'jobClient() throws for an environment of another copy',
  },
  {
    file: 'packages/testkit/src/env/records.ts',
    name: 'NAMES',
    why: 'made and read by one test environment',
  },
  {
    file: 'packages/testkit/src/simulate/models/custom-resource.ts',
    name: 'ENDPOINTS',
    why: 'responseFetch() throws for an environment of another copy',
  },
  ...[
    'packages/constructs/src/wiring/internal/handler-check.ts',
    'packages/constructs/src/wiring/inventory-from-entry.ts',
    'packages/constructs/src/wiring/inventory.ts',
    'packages/dispatch/src/dispatcher.ts',
    'packages/http/src/streaming/handler.ts',
  ].map((file) => ({
    file,
    name: 'framework.inspect',
    why: 'read by tools on a developer’s machine, which check its content; older functions have this key',
  })),
];

const TYPES: readonly Reason[] = [
  [
    'packages/microvm/src/controller/caller.ts',
    'CALLER',
    'a caller of another copy is rejected at run time, so it does not compile',
  ],
  [
    'packages/secure/src/postures/posture.ts',
    'POSTURE',
    'a posture of another copy is rejected at run time, so it does not compile',
  ],
  [
    'packages/secure/src/routes.ts',
    'TAKES',
    'containers and groups of one copy: their postures are not those of another',
  ],
  [
    'packages/testkit/src/builders/shape.ts',
    'ANSWER',
    'events and environment of a test; without the type the answer is unknown',
  ],
].map(([file = '', name = '', why = '']) => ({ file, name, why }));

export const REASONS: readonly Reason[] = [
  ...TYPES,
  ...REGISTRIES_OF_ONE_COPY,
  ...CACHES,
  ...WITHIN_ONE_COPY,
  ...LOCAL,
  ...REJECTED_PROPS,
  ...TOOLS,
];

// The limits of calls to AWS, for each place that sends commands of the AWS SDK. `scripts/check/deadlines.test.ts` drives every row.

/** One row: calls of one part of a package. */
export interface DeadlineRow {
  /** The package, without its scope. */
  readonly package: string;
  /** The functions whose calls the row is about, as Markdown. */
  readonly calls: string;
  /** Files that send the commands. */
  readonly sources: readonly string[];
  /** The option of the time limit, or the words for a fixed one. */
  readonly limit: string;
  /** The limit without the option, in milliseconds; `undefined` if the caller passes it. */
  readonly defaultMs: number | undefined;
  /** `caller`: the signal that the application passes reaches the call. `context`: the framework passes the signal of the context. `deadline`: the framework ends the call shortly before the invocation ends, but not when the client disconnects. */
  readonly stops: 'caller' | 'context' | 'deadline';
  /** The code that passes the signal, or the reason why the call continues without its client, as Markdown. */
  readonly note: string;
}

const DYNAMO = ['packages/dynamo/src/requests.ts'];

export const DEADLINES: readonly DeadlineRow[] = [
  {
    package: 'dynamo',
    calls: 'every call of `DynamoTable`',
    sources: DYNAMO,
    limit: '`timeoutMs`',
    defaultMs: undefined,
    stops: 'caller',
    note: 'the stores below pass it on',
  },
  {
    package: 'ratelimit',
    calls: 'the limiter',
    sources: DYNAMO,
    limit: '`storeTimeoutMs`',
    defaultMs: 300,
    stops: 'caller',
    note: 'the middleware passes `ctx.signal`',
  },
  {
    package: 'jobs',
    calls: 'the job ledger, leases, the event store',
    sources: DYNAMO,
    limit: '`storeTimeoutMs`',
    defaultMs: 10_000,
    stops: 'caller',
    note: '`withIdempotency` and `idempotentHandler` pass `ctx.signal`; the end of finished work is stored until one second before `ctx.remainingMs` ends',
  },
  {
    package: 'connections',
    calls: 'the registry of connections and groups',
    sources: DYNAMO,
    limit: '`storeTimeoutMs`',
    defaultMs: 3000,
    stops: 'caller',
    note: 'the last argument of each method: `registry.get(key, ctx)`',
  },
  {
    package: 'durable',
    calls: 'starts of executions, answers to callbacks',
    sources: ['packages/durable/src/start/internal/lambda.ts'],
    limit: '`timeoutMs`',
    defaultMs: 5000,
    stops: 'caller',
    note: 'the options of each call: `{ signal: ctx.signal }`',
  },
  {
    package: 'http',
    calls: '`ctx.asWebSocket().sendMessage`',
    sources: ['packages/http/src/websocket/client.ts'],
    limit: '`timeoutMs` of `createWebSocketClientFactory`',
    defaultMs: 5000,
    stops: 'context',
    note: 'methods of `WebSocketClient` accept it as the last argument',
  },
  {
    package: 'objectstore',
    calls: 'the store and its grants',
    sources: ['packages/objectstore/src/store/s3-store.ts'],
    limit: '`timeoutMs`',
    defaultMs: 30_000,
    stops: 'caller',
    note: 'option `signal` of each call',
  },
  {
    package: 'objectstore',
    calls: '`callerIdentity`, `assumeAccount`',
    sources: ['packages/objectstore/src/account/assume.ts', 'packages/objectstore/src/account/identity.ts'],
    limit: '`timeoutMs`',
    defaultMs: 10_000,
    stops: 'caller',
    note: 'option `signal`',
  },
  {
    package: 'vectors',
    calls: 'the vector store',
    sources: ['packages/vectors/src/store/internal/s3-backend.ts'],
    limit: '`requestTimeoutMs` for one request',
    defaultMs: 30_000,
    stops: 'caller',
    note: 'option `signal` of each call',
  },
  {
    package: 'vectors',
    calls: 'the Titan embedder',
    sources: ['packages/vectors/src/embedding/internal/model.ts'],
    limit: '`timeoutMs`',
    defaultMs: 30_000,
    stops: 'caller',
    note: 'option `signal` of each call',
  },
  {
    package: 'microvm',
    calls: 'the provider of micro-VMs',
    sources: ['packages/microvm/src/provider/aws-provider.ts'],
    limit: 'fixed, at most `ctx.remainingMs`',
    defaultMs: 5000,
    stops: 'caller',
    note: 'the controller passes the signal of its limit; a machine that starts is not abandoned when the client leaves',
  },
  {
    package: 'mcp',
    calls: '`dynamoMcpStore`',
    sources: DYNAMO,
    limit: '`storeTimeoutMs`',
    defaultMs: 5000,
    stops: 'deadline',
    note: 'the state of a run is stored even if the client has left, so that it can resume; `mcp.store`',
  },
  {
    package: 'mcp',
    calls: '`s3McpSpill`',
    sources: ['packages/mcp/src/store/s3-spill.ts'],
    limit: '`timeoutMs`',
    defaultMs: 5000,
    stops: 'deadline',
    note: 'a part of that state; `mcp.store`',
  },
  {
    package: 'mcp',
    calls: '`secretFromArn`',
    sources: ['packages/mcp/src/server/secret.ts'],
    limit: '`timeoutMs`',
    defaultMs: 5000,
    stops: 'deadline',
    note: 'all requests of the instance share the call, which stops when the last of them has left; `mcp.secret_unavailable`',
  },
  {
    package: 'mcp',
    calls: '`invokeSelf`',
    sources: ['packages/mcp/src/tasks/invoke-self.ts'],
    limit: '`timeoutMs`',
    defaultMs: 5000,
    stops: 'deadline',
    note: 'a task that was promised to the client is started; `mcp.task_not_started`',
  },
  {
    package: 'triggers',
    calls: 'results of CodePipeline, CodeDeploy, Config and Step Functions',
    sources: ['packages/triggers/src/internal/sender.ts'],
    limit: '`timeoutMs`',
    defaultMs: 4000,
    stops: 'deadline',
    note: 'the result of work that timed out is reported, too; `triggers.response_failed`',
  },
  {
    package: 'streams',
    calls: '`createErrorTopicPublish`',
    sources: ['packages/streams/src/observability/error-topic.ts'],
    limit: '`timeoutMs`',
    defaultMs: 3000,
    stops: 'deadline',
    note: 'an error is reported after the request that failed; log line `error notification failed`',
  },
  {
    package: 'streams',
    calls: 'the sender of `createSender`',
    sources: ['packages/streams/src/send/internal/lanes.ts'],
    limit: '`timeoutMs` for a call with all its requests',
    defaultMs: 10_000,
    stops: 'caller',
    note: 'option `signal` of each call; entries that were not accepted are returned',
  },
  {
    package: 'parameters',
    calls: 'readers of parameters, secrets and flags',
    sources: ['packages/parameters/src/internal/source.ts'],
    limit: '`timeoutMs`',
    defaultMs: 3000,
    stops: 'caller',
    note: '`reader.get(ctx)`; requests share a call, which stops when the last of them has left',
  },
];

const STOPS: Readonly<Record<DeadlineRow['stops'], string>> = {
  caller: 'the signal that you pass',
  context: '`ctx.signal`, automatically',
  deadline: 'the end of the invocation, automatically',
};

/** The page `docs/deadlines.md`. */
export function renderDeadlines(): string {
  const rows = DEADLINES.map(({ package: name, calls, limit, defaultMs, stops, note }) => {
    const ms = defaultMs === undefined ? 'set by the store' : `${defaultMs.toLocaleString('en-US')} ms`;
    return `| \`${name}\` | ${calls} | ${limit} | ${ms} | ${STOPS[stops]} | ${note} |`;
  });
  return `<!-- Made by \`npm run docs\` from scripts/docs/deadlines-data.ts. Do not edit. -->
# Limit the time of calls

Every call to AWS that a package of Sallyport makes has a time limit, which includes all attempts of the AWS SDK.
Most calls also stop with a signal: pass \`ctx.signal\`, and a call ends when the invocation reaches its deadline or when the client disconnects.
A context is accepted as an object with a signal.

\`\`\`ts
import type { Context } from '@sallyport/core';
import { createJobLedger } from '@sallyport/jobs';
import { createParameters } from '@sallyport/parameters';

const ledger = createJobLedger({ tableName: 'jobs', storeTimeoutMs: 2000 });
const limit = createParameters().parameter('/orders/limit');

export async function jobs(ctx: Context) {
  const [most, job] = await Promise.all([
    limit.get(ctx),
    ledger.getJob({ jobId: ctx.param('id') }, { signal: ctx.signal }),
  ]);
  return { most, job };
}
\`\`\`

| package | calls | limit | default | also stopped by | note |
|---|---|---|---|---|---|
${rows.join('\n')}

A call that stops may still have been applied: the request can have reached the service before.
Stores of this framework recognize such a write when it is repeated.
A call that the end of the invocation stops continues after its client has left, because the work must be finished or several requests share it.
It ends 100 to 200 ms earlier than the invocation, so that the function can answer with the code in the table.
Stores of authorization codes, refresh tokens and sign-ins have no request: their calls end after 6 seconds, with all repetitions.

## Safe by default, and what it costs on AWS

- No call waits without a limit: an option can change the limit, and none removes it.
- A call that stops early still counts for AWS, like any request ([Lambda pricing](https://aws.amazon.com/lambda/pricing/) bills the time that a function waits).

[Context](context.md) · [State](state.md) · [Parameters](parameters.md)
`;
}

// The maximum size of a function that uses one package. Each line is a promise to users: raise one only with a reason.
import { CATALOGUE } from '@sallyport/triggers/catalogue';
import { gatewayV2Event, queueEvent } from '../events.js';

export interface Budget {
  /** The entry file `entries/<name>.ts`, unless `entry` names another. */
  readonly name: string;
  /** The entry file of a second row: `entries/<entry>.ts`. */
  readonly entry?: string;
  /** Parts of the framework that are not in the bundle. */
  readonly leftOut?: readonly string[];
  /** Gzip bytes of the minified bundle; `null` while there is no promise. */
  readonly gzipBytes: number | null;
  /** The intended size; `README.md` explains the difference. */
  readonly wantedBytes?: number;
  /** An event for the first response; `null` if only the import is timed. */
  readonly event: object | null;
  /** True if the answer is right. */
  accepts(answer: unknown): boolean;
  /** Parts of paths that no file of the bundle has. */
  readonly lacks?: readonly string[];
}

/** The code that a function loads at its start if it is bundled with code splitting. */
export interface SplitBudget {
  /** The entry file `entries/<name>.ts`. */
  readonly name: string;
  /** Gzip bytes of the files that are loaded at the start. */
  readonly startBytes: number;
  /** The number of these files: each costs about 0.5 ms, as much as 10 KB of code. */
  readonly startFiles: number;
  /** Modules that are loaded on first use. */
  readonly lazyParts: number;
}

/**
 * Many small parts cost more than they save: each is a file to open, and code that only some of the lazy parts share with the start becomes a
 * separate file. So the start has few modules that lazy parts need too, and all lazy parts reach those. Since durable executions 0.1 KB.
 */
export const SPLIT_BUDGETS: readonly SplitBudget[] = [{ name: 'mcp', startBytes: 14_550, startFiles: 3, lazyParts: 6 }];

/** Exports of a package alone, without `@sallyport/core`. */
export interface PartBudget {
  readonly name: string;
  readonly module: string;
  readonly exports: readonly string[];
  /** Gzip bytes of the code that is loaded at the start. */
  readonly startBytes: number;
  /** Gzip bytes of the code that is loaded on first use, without clients and the SDK of AWS. */
  readonly lazyBytes: number;
}

const DURABLE = '@sallyport/durable';

/** The operations of durable executions are at most 5 KB at the start, and all optional parts are separate. */
export const PART_BUDGETS: readonly PartBudget[] = [
  // `step`, `wait`, `callback` and `map`, with their checks, and their work outside an execution.
  { name: 'durable', module: DURABLE, exports: ['durable'], startBytes: 5_000, lazyBytes: 0 },
  // With the surface; the code of executions, 9 KB of it with outcomes of middlewares, loads with the first one, its start of other executions 2 KB with the first of those.
  {
    name: 'with its surface',
    module: DURABLE,
    exports: ['durable', 'durableExecutions'],
    startBytes: 5_250,
    lazyBytes: 13_000,
  },
  { name: 'race', module: DURABLE, exports: ['race'], startBytes: 300, lazyBytes: 0 },
  { name: 'version', module: DURABLE, exports: ['version'], startBytes: 1_100, lazyBytes: 0 },
  { name: 'compensate', module: DURABLE, exports: ['compensate'], startBytes: 1_100, lazyBytes: 0 },
  { name: 'ends', module: `${DURABLE}/ends`, exports: ['ends'], startBytes: 2_300, lazyBytes: 0 },
  { name: 'resume', module: `${DURABLE}/resume`, exports: ['resume'], startBytes: 2_000, lazyBytes: 0 },
  { name: 'receive', module: `${DURABLE}/signals`, exports: ['receive'], startBytes: 3_700, lazyBytes: 0 },
  {
    name: 'signalExecution',
    module: `${DURABLE}/signals`,
    exports: ['signalExecution'],
    startBytes: 3_300,
    lazyBytes: 0,
  },
  {
    name: 'large-results',
    module: `${DURABLE}/large-results`,
    exports: ['largeResults'],
    startBytes: 1_100,
    lazyBytes: 0,
  },
  { name: 'continue-as', module: `${DURABLE}/continue-as`, exports: ['continueAs'], startBytes: 2_500, lazyBytes: 0 },
  { name: 'start', module: `${DURABLE}/start`, exports: ['startExecution'], startBytes: 2_300, lazyBytes: 0 },
];

const HEALTH = gatewayV2Event({ method: 'GET', path: '/health' });
const S3_EVENT = { Records: [{ eventSource: 'aws:s3', s3: { bucket: { name: 'uploads' }, object: { key: 'a' } } }] };
const HEALTH_OF_ADA = { ...HEALTH, headers: { authorization: 'Bearer local' } };
/** The sources of the triggers that the entry `s3` does not name, and of the catalogue. */
const OTHER_TRIGGERS = Object.keys(CATALOGUE)
  .filter((kind) => kind !== 's3')
  .map((kind) => `triggers/src/kinds/${kind}.ts`)
  .concat('triggers/src/catalogue');
/** The parts that `leaveOut: ['unused']` leaves out for a function with HTTP routes only. */
const UNUSED = ['events', 'websocket', 'graphql', 'surfaces', 'cors', 'hooks'];
/** All parts but one front door. */
const ALL = [...UNUSED, 'forms', 'observability', 'explain', 'openapi', 'function-url', 'load-balancer', 'gateway-v1'];
const isOk = (answer: unknown) => (answer as { statusCode?: unknown } | null)?.statusCode === 200;
const isClean = (answer: unknown) => JSON.stringify(answer) === '{"batchItemFailures":[]}';

export const BUDGETS: readonly Budget[] = [
  // Since the local runtime: the description of a handler 0.1 KB in all of them; decisions of the gate on a channel, and the document of
  // operations without a description, 0.6 KB in `secure` and `oauth`.
  // More than before error lines, options described once and direct invocations: the default logger with its sanitizer and the
  // causes of errors 2.6 KB, `defineOptions` 0.9 KB, what doors reject and how the cap counts 0.5 KB, who invoked 0.5 KB.
  // Middlewares of a route, problem details, and the calls of hooks: 0.3 KB. Hooks and groups are imported.
  // Forms, a member of every context, with their limits and words 0.9 KB; path parameters of bound handlers compared with patterns 0.2 KB.
  // The client's view of an internal error, spellings of other routers, seven more hints of `explain`, and a second trace id 0.7 KB; front doors 1.1 KB in
  // the containers.
  // Card numbers by issuer, false identifiers and paths of stack frames 1.1 KB, packages that are loaded twice 0.4 KB: both with the default
  // logger, so in all of them. Batches that fail whole 0.2 KB.
  // `ctx.span` and the trace context of records 0.1 KB in each, and in containers 0.3 KB more: a span of the hook for work in a handler.
  // Parts that can be left out: what a container registers late, and what its handler describes of that, 0.1 KB here and 0.5 KB in the containers.
  // The end of an invocation, for its log lines and its metric line, 50 bytes; retries and age of records, batches of opt-in triggers, calls of MCP
  // servers and decisions of rate limits in metrics 0.4 KB.
  // Contracts: what a registration states, the route member of messages, paths of issues, and members in the errors of options, 0.2 KB here and 0.4 KB in
  // the containers.
  // Durable executions add nearly nothing to functions without them: the place where a batch finds its execution is as large as what the marks of handlers
  // saved. Only the gate reads a recorded caller, 20 bytes where surfaces are left out, and a rate limit for a recorded decision, 40 bytes.
  { name: 'http', gzipBytes: 28_250, wantedBytes: 13_000, event: HEALTH, accepts: isOk },
  { name: 'queue', gzipBytes: 17_550, wantedBytes: 8_000, event: queueEvent(10, []), accepts: isClean },
  // The same without a dispatcher: the handler of a function with a single trigger.
  { name: 'queue-alone', gzipBytes: 12_700, wantedBytes: 5_000, event: queueEvent(10, []), accepts: isClean },
  // One handler without a container: context, deadline, log lines and their sanitizer are most of it.
  {
    name: 's3',
    gzipBytes: 11_300,
    event: S3_EVENT,
    accepts: (answer) => answer === null,
    lacks: OTHER_TRIGGERS,
  },
  // Only the engine: it is mounted on a container, which is measured separately.
  // The content of an unsplit file, regardless of the server's features; since 36.8 KB: sound replay and a store that may fail 3 KB, tasks 2.2 KB, definitions
  // by defineOptions, apps, hooks and postures 2 KB, challenges for scopes 0.2 KB, questions that are held
  // 0.9 KB, messages of argument errors 0.9 KB; both load at first use. The budget of the start with code splitting is below.
  {
    name: 'mcp',
    // The trace context in `_meta` of questions and notifications 0.1 KB; schemas of tools with a name 0.1 KB.
    gzipBytes: 49_850,
    wantedBytes: 15_000,
    event: null,
    accepts: () => true,
    lacks: [
      ...['mcp/src/oauth', 'mcp/src/authorization', 'mcp/src/facade', 'mcp/src/routes/endpoint', 'mcp/src/compose'],
      'mcp/src/tasks/internal/session-methods',
    ],
  },
  // The whole route algebra, without other code: infrastructure code loads only this entry.
  { name: 'mcp-routes', gzipBytes: 1_900, event: null, accepts: () => true, lacks: ['core/src'] },
  // With groups (0.7 KB) and hooks (0.6 KB), which are methods and options of a container, and forms (0.9 KB). What surfaces get of the container is 0.1 KB.
  { name: 'app', gzipBytes: 50_850, event: HEALTH, accepts: isOk, lacks: ['packages/triggers'] },
  { name: 'secure', gzipBytes: 59_900, event: HEALTH, accepts: isOk },
  // `http` with the option `observability` (2.1 KB) and the tracer with its exporter over UDP.
  // Messages of spans as functions and one timer for all deadlines, which save CPU time, 0.4 KB; losses as metrics and partial success 0.3 KB.
  { name: 'otel', gzipBytes: 37_100, wantedBytes: 33_000, event: HEALTH, accepts: isOk },
  // Without parts of the framework: what is unused by default, then all that can be left out. The places at which an execution records middlewares and
  // rejects streams, and starts elements of GraphQL, 18 to 80 bytes, are in each container with them.
  { name: 'app-unused', entry: 'app', leftOut: UNUSED, gzipBytes: 34_400, event: HEALTH, accepts: isOk },
  { name: 'secure-unused', entry: 'secure', leftOut: UNUSED, gzipBytes: 43_400, event: HEALTH, accepts: isOk },
  { name: 'http-least', entry: 'http', leftOut: ALL, gzipBytes: 24_500, event: HEALTH, accepts: isOk },
  { name: 'app-least', entry: 'app', leftOut: ALL, gzipBytes: 28_300, event: HEALTH, accepts: isOk },
  {
    name: 'secure-least',
    entry: 'secure',
    leftOut: ALL,
    gzipBytes: 31_650,
    wantedBytes: 30_000,
    event: HEALTH,
    accepts: isOk,
    lacks: ['packages/streams', 'packages/appsync', 'http/src/openapi', 'explain/row-check'],
  },
  // A guard on a closed container (58.0 KB) whose tokens are not JWTs.
  {
    name: 'oauth',
    gzipBytes: 62_600,
    event: HEALTH_OF_ADA,
    accepts: isOk,
    lacks: ['secure/src/resolvers/jwt/verifier', 'mcp/src/authorization', 'mcp/src/facade'],
  },
  // For browsers. What requests need besides `fetch`: retries 0.5 KB, the time limit with its reasons 0.3 KB, paths that cannot leave their
  // route 0.2 KB, answers and the three forms of errors 0.5 KB.
  { name: 'client', gzipBytes: 1_850, wantedBytes: 1_200, event: null, accepts: () => true },
  { name: 'client-events', gzipBytes: 2_500, wantedBytes: 1_700, event: null, accepts: () => true },
  { name: 'client-socket', gzipBytes: 2_450, wantedBytes: 1_700, event: null, accepts: () => true },
  { name: 'client-tool', gzipBytes: 3_000, event: null, accepts: () => true },
  // Between services: the signer of the AWS SDK and the client for Lambda are not in it.
  { name: 'client-sigv4', gzipBytes: 2_700, event: null, accepts: () => true },
  { name: 'client-invoke', gzipBytes: 3_000, event: null, accepts: () => true },
  // The AWS clients load at the first call and are not in it.
  { name: 'send', gzipBytes: null, event: null, accepts: () => true },
  { name: 'ratelimit', gzipBytes: null, event: null, accepts: () => true },
  // One service: no code of the others. The README of the package lists the parts that 2 KB would have to omit.
  {
    name: 'parameter',
    gzipBytes: 21_250,
    wantedBytes: 19_500,
    event: queueEvent(10, []),
    accepts: () => true,
    lacks: ['internal/secrets', 'internal/flags', 'internal/agent', 'parameters/src/environment'],
  },
  // Parameters, secrets and flags on the queue (17.2 KB): cache 1.2 KB, three services 1.6 KB, readers, schemas and options 1.6 KB, variables 0.3 KB; the
  // time limit of calls and Standard Schema of core 0.9 KB, which other stores share.
  { name: 'parameters', gzipBytes: 23_400, wantedBytes: 19_200, event: queueEvent(10, []), accepts: () => true },
  // Durable executions on the closed container with a queue: 5 KB at the start for handlers outside an execution, 6 KB that load with the first
  // execution if the bundle is split. The SDK of AWS loads then too and is not in it. The rows of the package alone are above.
  // Since additions of handlers: their places in operations (0.4 KB), and the report of a failed execution (0.5 KB, loads with the first failure).
  // Handoff as the default: its start 1.7 KB, the names of secret headers 1.3 KB, which default loggers share, the event of a record and large batches 1.2 KB.
  // Outcomes of middlewares 1.3 KB, which load with the first execution.
  // Operations from the transport instead of hooks of the SDK, which halves the CPU time of executions, 0.3 KB, in the lazy part.
  { name: 'durable', gzipBytes: 79_900, event: HEALTH, accepts: isOk },
  { name: 'objectstore', gzipBytes: null, event: null, accepts: () => true },
  // On the closed container (58.0 KB). Both AWS clients load at the first operation and are not in it.
  {
    name: 'microvm',
    gzipBytes: 86_800,
    event: HEALTH,
    accepts: (answer) => (answer as { statusCode?: unknown } | null)?.statusCode === 404,
  },
];

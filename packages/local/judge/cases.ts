import type { Invocation } from './recorder.js';

/** One process: its function, its events, and its special settings. */
export interface Case {
  readonly name: string;
  readonly handler: string;
  readonly invocations: readonly Invocation[];
  /** The status with which the Runtime API responds to results; default 202. */
  readonly status?: number;
  /** As on Lambda Managed Instances: two workers and four parallel events. */
  readonly many?: boolean;
  /** Results and polls use parallel connections: only the results are compared, in any order. */
  readonly anyOrder?: boolean;
  /** The reason for an intended difference of the two parts. The case fails if they do not differ. */
  readonly differs?: string;
}

/** Two invocations, so that the second shows that the environment is still usable. */
const twice = (event: unknown): readonly Invocation[] => [{ event: JSON.stringify(event) }, { event: '"again"' }];
const of = (name: string, handler: string, event: unknown = {}): Case => ({
  name,
  handler: `cases.${handler}`,
  invocations: twice(event),
});
const withHeaders = (name: string, headers: Readonly<Record<string, string>>): Case => ({
  name,
  handler: 'cases.context',
  invocations: [{ event: '{}', headers }, { event: '{}' }],
});

const answers: readonly Case[] = [
  of('object', 'echo', { note: 'a', list: [1, null, true] }),
  ...[null, 0, 'text', [], { __proto: 1 }].map((event) => of(`event ${JSON.stringify(event)}`, 'echo', event)),
  of('undefined', 'nothing'),
  of('null', 'none'),
  of('unicode', 'echo', 'Grüße, 漢字, 🛠, \u2028, \u0000, \u007f'),
  of('half of a pair', 'half'),
  of('cannot be JSON', 'circular'),
  of('5 MiB', 'big', 5_242_880),
  { ...of('7 MiB, refused with 413', 'big', 7_340_032), status: 413 },
  of('event of 5 MiB', 'size', 'é'.repeat(2_621_440)),
  of('timer left behind', 'timer'),
  {
    ...of('eight at once', 'echo'),
    many: true,
    anyOrder: true,
    invocations: [1, 2, 3, 4, 5, 6, 7, 8].map((event) => ({ event: `${event}` })),
  },
];

const errors: readonly Case[] = [
  of('thrown error', 'thrown'),
  of('error with cause', 'cause'),
  of('aggregate error', 'aggregate'),
  of('error with unicode and DEL', 'unicodeError'),
  of('error of two lines', 'lines'),
  of('error without a stack', 'stackless'),
  of('rejected text', 'rejectedText'),
  of('rejected undefined', 'rejectedNothing'),
  of('rejected object', 'rejectedObject'),
  {
    ...of('error with a message of 20 KB', 'long'),
    differs: 'the shim leaves out the X-Ray cause beyond 8,192 characters, which servers of HTTP refuse as a header',
  },
  of('unhandled rejection', 'unhandled'),
  of('uncaught error', 'uncaught'),
  of('process.exit', 'exits'),
  of('never settles', 'never'),
];

const streams: readonly Case[] = [
  of('stream', 'stream'),
  of('stream with prelude', 'prelude'),
  of('stream of 1 MiB', 'bigStream'),
  // The client requests the next event without waiting until a failed stream is sent.
  { ...of('stream, fails before the first byte', 'failsFirst'), anyOrder: true },
  { ...of('stream, fails after the first byte', 'failsLater'), anyOrder: true },
  of('stream, exits after the first byte', 'exitsLater'),
];

const starts: readonly Case[] = [
  of('callback handler', 'callback'),
  of('missing export', 'missing'),
  of('export is no function', 'noFunction'),
  { ...of('missing module', ''), handler: 'nowhere.handler' },
  { ...of('handler without a dot', ''), handler: 'cases' },
  { ...of('throws at import', ''), handler: 'throws.handler' },
  { ...of('does not parse', ''), handler: 'broken.handler' },
];

const contexts: readonly Case[] = [
  withHeaders('no optional header', {}),
  withHeaders('client context and identity', {
    'lambda-runtime-client-context': '{"custom":{"name":"Grüße 漢字"}}',
    'lambda-runtime-cognito-identity': '{"cognitoIdentityId":"id","cognitoIdentityPoolId":"pool"}',
  }),
  withHeaders('empty optional headers', { 'lambda-runtime-client-context': '', 'lambda-runtime-trace-id': '' }),
  withHeaders('client context is no JSON', { 'lambda-runtime-client-context': 'text' }),
  withHeaders('trace id and tenant', {
    'lambda-runtime-trace-id': 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1',
    'lambda-runtime-aws-tenant-id': 'tenant-ä',
  }),
];

export const CASES: readonly Case[] = [...answers, ...errors, ...streams, ...starts, ...contexts];

import { readFile } from './application.js';
import { beginEvent, isSum, replayEvent } from './durable.js';
import {
  functionUrlEvent,
  gatewayV1Event,
  gatewayV2Event,
  kinesisEvent,
  loadBalancerEvent,
  messageId,
  order,
  queueEvent,
  resolverEvent,
  sequenceNumber,
  UPLOAD,
} from './events.js';
import type { WorkloadName } from './invoke.js';
import { NOTE, readToken, signToken } from './secured.js';

export interface Workload {
  readonly title: string;
  readonly event: object;
  /** Events in rotation, for workloads that need more than copies of one event. Called in the measured process. */
  readonly events?: () => readonly object[];
  /** The error of an answer; `null` when it is correct. */
  check(answer: unknown): string | null;
}

const GET_USER = { method: 'GET', path: '/users/42' };
const USER = { id: '42', name: 'User 42', roles: ['reader', 'writer'], active: true };
const POST_ORDER = { method: 'POST', path: '/orders', body: JSON.stringify(order()) };
const ORDER_TOTAL = 129_634;

export const WORKLOAD_TABLE: Readonly<Record<WorkloadName, Workload>> = {
  'get-v2': { title: '`GET /users/{id}`, 100 routes, gateway v2', event: gatewayV2Event(GET_USER), check: isUser },
  'get-v1': { title: 'the same, gateway v1', event: gatewayV1Event(GET_USER), check: isUser },
  'get-alb': { title: 'the same, load balancer', event: loadBalancerEvent(GET_USER), check: isUser },
  'get-url': { title: 'the same, function URL', event: functionUrlEvent(GET_USER), check: isUser },
  reads: {
    title: 'a handler that reads a path parameter, a query parameter and a header',
    event: gatewayV2Event({ method: 'GET', path: '/pages/42' }),
    check: (answer) => isJson(answer, 200, { id: '42', page: '2', version: '7.31.2' }),
  },
  middleware: {
    title: 'five middlewares',
    event: gatewayV2Event(GET_USER),
    check: (answer) => isUser(answer) ?? hasSteps(answer),
  },
  'middleware-set': {
    title: 'five middlewares that each store a value, which the handler reads',
    event: gatewayV2Event({ method: 'GET', path: '/trails/42' }),
    check: (answer) => isJson(answer, 200, { id: '42', found: [0, 1, 2, 3, 4] }) ?? hasSteps(answer),
  },
  'post-v2': { title: '`POST` 10 KiB JSON, gateway v2', event: gatewayV2Event(POST_ORDER), check: isOrder },
  'post-v1': { title: 'the same, gateway v1', event: gatewayV1Event(POST_ORDER), check: isOrder },
  upload: {
    title: 'upload 1 MiB base64',
    event: gatewayV2Event({
      method: 'POST',
      path: '/uploads',
      contentType: 'application/octet-stream',
      body: UPLOAD.toString('base64'),
      isBase64Encoded: true,
    }),
    check: (answer) => isJson(answer, 200, { bytes: 1_048_576, sample: UPLOAD_SAMPLE }),
  },
  download: {
    title: 'download 1 MiB binary',
    event: gatewayV2Event({ method: 'GET', path: '/files/42' }),
    check: isFile,
  },
  'not-found': {
    title: '404',
    event: gatewayV2Event({ method: 'GET', path: '/nowhere/at/all' }),
    check: (answer) => hasStatus(answer, 404),
  },
  thrown: {
    title: 'thrown error → 500',
    event: gatewayV2Event({ method: 'GET', path: '/boom' }),
    check: (answer) => hasStatus(answer, 500),
  },
  sqs: {
    title: 'SQS batch of 10, 2 failures',
    event: queueEvent(10, [3, 7]),
    check: (answer) => isReport(answer, [messageId(3), messageId(7)]),
  },
  kinesis: {
    title: 'Kinesis batch of 100, 1 failure',
    event: kinesisEvent(100, [99]),
    check: (answer) => isReport(answer, [sequenceNumber(99)]),
  },
  graphql: {
    title: 'GraphQL resolver, 50 fields',
    event: resolverEvent(),
    check: (answer) => isEqual(answer, { id: '42', field: 'field25' }),
  },
  'graphql-gate': {
    title: 'the same, for signed-in callers only',
    event: resolverEvent(),
    check: (answer) => isEqual(answer, { id: '42', field: 'field25' }),
  },
  secure: { title: '`POST` with a token (RS256), validation and a log line', event: addNoteEvent(), check: isAdded },
  'secure-new': {
    title: 'the same, by 1,024 callers in turn',
    event: addNoteEvent(),
    events: () => Array.from({ length: 1_024 }, (_, index) => addNoteEvent(signToken(`${index}`))),
    check: isAdded,
  },
  'spans-off': {
    title: '`GET /users/{id}` with three spans in the handler, without a tracer',
    event: gatewayV2Event(GET_USER),
    check: isUser,
  },
  spans: { title: 'the same, encoded and sent over UDP', event: gatewayV2Event(GET_USER), check: isUser },
  durable: {
    title: 'a durable execution of ten steps; bare is the SDK of AWS alone',
    event: beginEvent(),
    check: (answer) => isSum(answer, 10),
  },
  'durable-memory': {
    title: 'the same without the client of AWS: the history is in memory',
    event: beginEvent(),
    check: (answer) => isSum(answer, 10),
  },
  'durable-replay': {
    title: 'a replay of fifty recorded steps of a durable execution',
    event: replayEvent(),
    check: (answer) => isSum(answer, 50),
  },
  'routes-1000': { title: '`GET /users/{id}`, 1,000 routes', event: gatewayV2Event(GET_USER), check: isUser },
};

function addNoteEvent(token = readToken()): object {
  return gatewayV2Event({ method: 'POST', path: '/notes', body: JSON.stringify(NOTE), token });
}

function isAdded(answer: unknown): string | null {
  return isJson(answer, 201, { id: '1', ...NOTE, author: 'ada' });
}

interface HttpAnswer {
  readonly statusCode?: number;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly multiValueHeaders?: Readonly<Record<string, readonly unknown[]>>;
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
}

function hasStatus(answer: unknown, status: number): string | null {
  const { statusCode } = answer as HttpAnswer;
  return statusCode === status ? null : `status ${statusCode}, not ${status}`;
}

function headerOf(answer: HttpAnswer, name: string): string {
  for (const headers of [answer.headers ?? {}, answer.multiValueHeaders ?? {}]) {
    for (const [key, value] of Object.entries(headers)) if (key.toLowerCase() === name) return String(value);
  }
  return '';
}

function bodyOf({ body, isBase64Encoded }: HttpAnswer): Buffer {
  return Buffer.from(body ?? '', isBase64Encoded === true ? 'base64' : 'utf8');
}

function isJson(answer: unknown, status: number, value: unknown): string | null {
  const http = answer as HttpAnswer;
  const type = headerOf(http, 'content-type');
  if (!type.startsWith('application/json')) return `content type "${type}"`;
  return hasStatus(answer, status) ?? isEqual(JSON.parse(bodyOf(http).toString()), value);
}

function isUser(answer: unknown): string | null {
  return isJson(answer, 200, USER);
}

function isOrder(answer: unknown): string | null {
  return isJson(answer, 201, { ...order(), total: ORDER_TOTAL });
}

function isFile(answer: unknown): string | null {
  const http = answer as HttpAnswer;
  const type = headerOf(http, 'content-type');
  if (type !== 'application/octet-stream') return `content type "${type}"`;
  return hasStatus(answer, 200) ?? (bodyOf(http).equals(readFile()) ? null : 'other bytes');
}

function hasSteps(answer: unknown): string | null {
  const missing = [1, 2, 3, 4, 5].filter((step) => headerOf(answer as HttpAnswer, `x-step-${step}`) !== '1');
  return missing.length === 0 ? null : `middleware ${missing.join(', ')} did not run`;
}

function isReport(answer: unknown, identifiers: readonly string[]): string | null {
  return isEqual(answer, { batchItemFailures: identifiers.map((itemIdentifier) => ({ itemIdentifier })) });
}

function isEqual(found: unknown, wanted: unknown): string | null {
  const text = JSON.stringify(found) ?? String(found);
  return text === JSON.stringify(wanted) ? null : `answered ${text.slice(0, 120)}`;
}

/** The sum over every 4,096th byte of the upload. */
const UPLOAD_SAMPLE = 32_466;

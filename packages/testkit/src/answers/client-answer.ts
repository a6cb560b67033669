import { isPlainObject } from '@sallyport/core/internal';
import { boolean, defineOptions } from '@sallyport/core/options';

/** AWS services that put HTTP in front of a function. */
export type HttpDoorKind = 'gateway-v2' | 'gateway-v1' | 'function-url' | 'load-balancer';

/** The response that the client of an HTTP front door receives. */
export interface ClientAnswer {
  /** HTTP status. */
  readonly status: number;
  /** Names as the function wrote them, in order; a name with several values is repeated. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The body, decoded. */
  readonly body: Uint8Array;
  /** Reason why the front door rejected the function's answer; `undefined` if it was accepted. */
  readonly refused?: string;
}

/** Settings of {@link clientAnswer}. */
export interface ClientAnswerOptions {
  /** True if the target group of a load balancer has multi-value headers. Default: `false`. */
  readonly multiValue?: boolean;
}

const OPTIONS = defineOptions<ClientAnswerOptions>()({ multiValue: boolean.default(false) });

/** Reason why a function has no answer for its front door. */
export type DoorFailure =
  /** The function threw, was killed, or returned an answer that the front door rejects. */
  | 'error'
  /** The function exceeded the front door's timeout. */
  | 'timeout'
  /** All environments of the function are busy. */
  | 'throttled';

interface Door {
  /** If `false`, an answer without `statusCode` is sent as the body. */
  readonly needsStatus: boolean;
  readonly contentType: string | undefined;
  readonly failures: Readonly<Record<DoorFailure, readonly [status: number, body: string]>>;
}

const INTERNAL_V2 = '{"message":"Internal Server Error"}';
const INTERNAL_V1 = '{"message": "Internal server error"}';
const page = (title: string) =>
  `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n</body>\r\n</html>\r\n`;

/**
 * HTTP API: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html;
 * REST API: https://docs.aws.amazon.com/apigateway/latest/developerguide/handle-errors-in-lambda-integration.html;
 * load balancer: https://docs.aws.amazon.com/elasticloadbalancing/latest/application/lambda-functions.html;
 * function URL: https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html
 */
const DOORS: Readonly<Record<HttpDoorKind, Door>> = {
  'gateway-v2': {
    needsStatus: false,
    contentType: 'text/plain;charset=UTF-8',
    failures: {
      error: [500, INTERNAL_V2],
      timeout: [503, '{"message":"Service Unavailable"}'],
      throttled: [503, '{"message":"Service Unavailable"}'],
    },
  },
  'gateway-v1': {
    needsStatus: true,
    contentType: 'application/json',
    failures: {
      error: [502, INTERNAL_V1],
      timeout: [504, '{"message": "Endpoint request timed out"}'],
      throttled: [503, '{"message": "Service Unavailable"}'],
    },
  },
  'function-url': {
    needsStatus: false,
    contentType: 'application/json',
    failures: {
      error: [502, 'Internal Server Error'],
      timeout: [502, 'Internal Server Error'],
      throttled: [429, '{"Reason":"ConcurrentInvocationLimitExceeded","Type":"User","message":"Rate Exceeded."}'],
    },
  },
  'load-balancer': {
    needsStatus: true,
    contentType: undefined,
    failures: {
      error: [502, page('502 Bad Gateway')],
      timeout: [502, page('502 Bad Gateway')],
      throttled: [502, page('502 Bad Gateway')],
    },
  },
};

/**
 * Converts a function's answer to the response that the client of an HTTP front door receives. For an answer that the front door
 * rejects, the result is the front door's own error, with the reason in `refused`.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example
 * clientAnswer('gateway-v1', { body: 'x' }).refused; // 'the answer has no statusCode: return an object such as { statusCode: 200 }'
 */
export function clientAnswer(kind: HttpDoorKind, answer: unknown, options: ClientAnswerOptions = {}): ClientAnswer {
  const { multiValue } = OPTIONS.parse(options);
  const door = DOORS[kind];
  if (!isPlainObject(answer) || !('statusCode' in answer)) {
    if (door.needsStatus) return refuse(kind, NO_STATUS);
    const text = typeof answer === 'string' ? answer : JSON.stringify(answer ?? null);
    return { status: 200, headers: [['content-type', 'application/json']], body: Buffer.from(text) };
  }
  const status = Number(answer.statusCode);
  if (!Number.isInteger(status) || status < 100 || status > 599) {
    return refuse(kind, `statusCode is ${shown(answer.statusCode)}, and must be a whole number from 100 to 599`);
  }
  const { body = '', isBase64Encoded = false } = answer;
  if (typeof body !== 'string' && body !== null) {
    return refuse(kind, `body is ${typeName(body)}, and must be a string: JSON.stringify it, or send bytes as base64`);
  }
  if (typeof isBase64Encoded !== 'boolean') {
    return refuse(kind, `isBase64Encoded is ${typeName(isBase64Encoded)}, and must be true or false`);
  }
  const headers = headersOf(kind, answer, multiValue);
  if (typeof headers === 'string') return refuse(kind, headers);
  const isTyped = headers.some(([name]) => name.toLowerCase() === 'content-type');
  return {
    status,
    headers: isTyped || door.contentType === undefined ? headers : [...headers, ['content-type', door.contentType]],
    body: Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8'),
  };
}

/**
 * Builds the response that the client of an HTTP front door receives if the function has no answer.
 *
 * @example clientFailure('gateway-v1', 'timeout').status; // 504
 */
export function clientFailure(kind: HttpDoorKind, failure: DoorFailure): ClientAnswer {
  const [status, text] = DOORS[kind].failures[failure];
  const contentType = text.startsWith('{') ? 'application/json' : text.startsWith('<') ? 'text/html' : 'text/plain';
  return { status, headers: [['content-type', contentType]], body: Buffer.from(text) };
}

const NO_STATUS = 'the answer has no statusCode: return an object such as { statusCode: 200 }';

/** Short values as JSON, others by their type. Bodies and headers are not shown: they may hold secrets. */
function shown(value: unknown): string {
  const json = JSON.stringify(value) ?? 'undefined';
  return json.length <= 20 ? json : typeName(value);
}

function typeName(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'a list';
  return { string: 'a string', object: 'an object' }[typeof value as string] ?? `a ${typeof value}`;
}

function refuse(kind: HttpDoorKind, refused: string): ClientAnswer {
  return { ...clientFailure(kind, 'error'), refused };
}

type Headers = ClientAnswer['headers'];

/** Reads the headers as the front door does; a string is the reason why they are rejected. */
function headersOf(kind: HttpDoorKind, answer: Record<string, unknown>, multiValue: boolean): Headers | string {
  if (kind === 'load-balancer') {
    return multiValue ? listedHeaders(answer.multiValueHeaders) : plainHeaders(answer.headers);
  }
  const plain = plainHeaders(answer.headers);
  if (typeof plain === 'string') return plain;
  if (kind !== 'gateway-v1') {
    const { cookies = [] } = answer;
    if (!Array.isArray(cookies))
      return `cookies is ${typeName(cookies)}, and must be a list: one string for each cookie`;
    return [...plain, ...cookies.map((cookie): [string, string] => ['set-cookie', String(cookie)])];
  }
  const listed = listedHeaders(answer.multiValueHeaders);
  if (typeof listed === 'string') return listed;
  const names = new Set(listed.map(([name]) => name.toLowerCase()));
  return [...plain.filter(([name]) => !names.has(name.toLowerCase())), ...listed];
}

const isFlat = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);

function plainHeaders(headers: unknown = {}): Headers | string {
  if (headers === null) return [];
  if (!isPlainObject(headers)) return `headers is ${typeName(headers)}, and must be an object`;
  const pairs = Object.entries(headers);
  const [bad] = pairs.filter(([, value]) => !isFlat(value));
  if (bad) return `headers[${JSON.stringify(bad[0])}] is ${typeName(bad[1])}, and must be a string`;
  return pairs.map(([name, value]) => [name, String(value)]);
}

function listedHeaders(headers: unknown = {}): Headers | string {
  if (headers === null) return [];
  if (!isPlainObject(headers)) return `multiValueHeaders is ${typeName(headers)}, and must be an object`;
  const pairs = Object.entries(headers);
  const [bad] = pairs.filter(([, values]) => !Array.isArray(values) || !values.every(isFlat));
  if (bad) return `multiValueHeaders[${JSON.stringify(bad[0])}] must be a list of strings, even for a single value`;
  return pairs.flatMap(([name, values]) =>
    (values as unknown[]).map((value): [string, string] => [name, String(value)]),
  );
}

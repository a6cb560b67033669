import { FrameworkError, type TriggerKind } from '@sallyport/core';
import { INVALID_CONFIGURATION } from '@sallyport/core/options';

/** A front door that answers an HTTP client with what the function answered. */
export type HttpDoor = Extract<TriggerKind, 'gateway-v2' | 'function-url' | 'gateway-v1' | 'load-balancer'>;

/** What an HTTP client gets. */
export interface ClientAnswer {
  /** HTTP status. */
  readonly status: number;
  /** Names in lower case and values, one entry for each value; `set-cookie` once for each cookie. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The body as bytes; empty for none. */
  readonly body: Uint8Array;
  /** Why the service could not use the function's answer and sent its own error; absent when it could. */
  readonly problem?: string;
}

type Members = Readonly<Record<string, unknown>>;
type Header = readonly [name: string, value: string];

/** How one kind of door reads an answer. */
interface Reader {
  /** The status and text that the client gets for an answer that the door cannot read, or when the function fails. */
  readonly failure: { readonly status: number; readonly body: string };
  /** Whether an answer without `statusCode` is the body itself. */
  readonly infersStatus: boolean;
  readonly hasLists: boolean;
  readonly hasCookies: boolean;
}

const GATEWAY_FAILURE = (status: number, message: string) => ({ status, body: JSON.stringify({ message }) });
const PAYLOAD_2 = { infersStatus: true, hasLists: false, hasCookies: true };

/**
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
 * @see https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/application/lambda-functions.html
 */
const READERS: Readonly<Record<HttpDoor, Reader>> = {
  'gateway-v2': { ...PAYLOAD_2, failure: GATEWAY_FAILURE(500, 'Internal Server Error') },
  'function-url': { ...PAYLOAD_2, failure: { status: 502, body: 'Internal Server Error' } },
  'gateway-v1': {
    infersStatus: false,
    hasLists: true,
    hasCookies: false,
    failure: GATEWAY_FAILURE(502, 'Internal server error'),
  },
  'load-balancer': {
    infersStatus: false,
    hasLists: true,
    hasCookies: false,
    failure: { status: 502, body: '<html><head><title>502 Bad Gateway</title></head></html>' },
  },
};

/**
 * What the client of a front door gets for the answer of a function. Base64 is decoded, also of a REST API, as if all media
 * types were in its `binaryMediaTypes`.
 *
 * @param kind the front door
 * @param answer what the function answered, or {@link FAILED} when it threw, ended or ran into its timeout
 * @throws FrameworkError `app.invalid_configuration` for another kind
 * @example
 * const { status, body } = clientAnswer('gateway-v2', await app.handleLambda(buildAPIGatewayV2Request('GET', '/notes')));
 */
export function clientAnswer(kind: HttpDoor, answer: unknown): ClientAnswer {
  const reader = Object.hasOwn(READERS, kind) ? READERS[kind] : undefined;
  if (!reader) {
    const known = Object.keys(READERS).join(', ');
    throw new FrameworkError(INVALID_CONFIGURATION, `framework: clientAnswer reads answers of ${known}`);
  }
  const problem = answer === FAILED ? 'the function failed' : problemOf(answer, reader);
  if (problem !== undefined) return refused(reader, problem);
  const { statusCode } = (answer ?? {}) as Members;
  return statusCode === undefined ? inferred(answer) : projected(answer as Members, reader);
}

/** Stands in the place of an answer when the function threw, ended or ran into its timeout. */
export const FAILED: unique symbol = Symbol('failed');

/** Why the door cannot read the answer; `undefined` if it can. */
function problemOf(answer: unknown, { infersStatus, hasLists, hasCookies }: Reader): string | undefined {
  const isObject = typeof answer === 'object' && answer !== null && !Array.isArray(answer);
  if (!isObject) return infersStatus ? undefined : 'the answer is not an object';
  const { statusCode, headers, multiValueHeaders, cookies, body } = answer as Members;
  if (statusCode === undefined) return infersStatus ? undefined : 'the answer has no statusCode';
  const status = Number(statusCode);
  if (!Number.isInteger(status) || status < 100 || status > 599)
    return 'statusCode is not a whole number from 100 to 599';
  if (isGiven(headers) && !isMap(headers, isScalar)) return 'headers is not an object of texts';
  if (hasLists && isGiven(multiValueHeaders) && !isMap(multiValueHeaders, isList)) {
    return 'multiValueHeaders is not an object of lists';
  }
  if (hasCookies && isGiven(cookies) && !isList(cookies)) return 'cookies is not a list of texts';
  if (isGiven(body) && typeof body !== 'string') return 'body is not a text';
  return undefined;
}

/** Without `statusCode` the answer itself is the body, as JSON; a text is taken as it is. */
function inferred(answer: unknown): ClientAnswer {
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer ?? null);
  return { status: 200, headers: [['content-type', 'application/json']], body: Buffer.from(text) };
}

function projected(answer: Members, { hasLists, hasCookies }: Reader): ClientAnswer {
  const { statusCode, headers, multiValueHeaders, cookies, body = '', isBase64Encoded } = answer;
  const single = headersOf(headers).map(([name, value]): Header => [name, String(value)]);
  const lists = hasLists ? headersOf(multiValueHeaders) : [];
  const many = lists.flatMap(([name, values]) => (values as unknown[]).map((value): Header => [name, String(value)]));
  const sent =
    hasCookies && Array.isArray(cookies) ? cookies.map((value): Header => ['set-cookie', String(value)]) : [];
  const isSame = ([name]: Header) => many.some(([other]) => other === name);
  return {
    status: Number(statusCode),
    // A name in both maps is sent once: the lists are complete.
    headers: [...single.filter((header) => !isSame(header)), ...many, ...sent],
    body: Buffer.from((body ?? '') as string, isBase64Encoded === true ? 'base64' : 'utf8'),
  };
}

function refused({ failure: { status, body } }: Reader, problem: string): ClientAnswer {
  const type = body.startsWith('{') ? 'application/json' : body.startsWith('<') ? 'text/html' : 'text/plain';
  return { status, headers: [['content-type', type]], body: Buffer.from(body), problem };
}

const isGiven = (value: unknown) => value !== undefined && value !== null;
const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);
const isList = (value: unknown) => Array.isArray(value) && value.every(isScalar);

function isMap(value: unknown, member: (value: unknown) => boolean): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(member);
}

/** Load balancers tell two `set-cookie` apart by the letters of their names; a client sees lower case. */
function headersOf(map: unknown): readonly (readonly [string, unknown])[] {
  return Object.entries((map ?? {}) as Members).map(([name, value]) => [name.toLowerCase(), value]);
}

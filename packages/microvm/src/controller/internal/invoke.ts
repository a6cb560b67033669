import { isFrameworkError } from '@sallyport/core';
import { LAMBDA_MAX_EVENT_BYTES } from '@sallyport/core/internal';
import { MicrovmError } from '../../errors.js';
import { withoutText } from '../../provider/internal/errors.js';
import type { SecretToken } from '../../provider/secret-token.js';
import { revealToken } from '../../provider/secret-token.js';
import type { HeaderEntry, MicrovmTransport, TransportRequest, TransportResponse } from '../../provider/transport.js';
import type { SessionRecord } from '../../registry/registry.js';
import type { CallerFacts } from '../caller.js';
import type { InvokeInput, MicrovmInvokeAnswer } from '../types.js';
import { parseSessionId } from './input.js';
import { endpointHostOf, MARGIN_MS } from './provider-calls.js';
import { cookiePrefix, cookiesIn, cookiesOut } from './proxy/cookies.js';
import { answeredHeaders, forwardedHeaders, valuesOf } from './proxy/headers.js';
import { Lifeline, limited } from './proxy/lifeline.js';
import { checkPort, checkTarget, rewriteLocation } from './proxy/target.js';
import { type Dependencies, readSession } from './shared.js';
import { assertReachable, tokenForPort } from './tokens.js';

/** Maximum size of a streamed response in bytes. https://docs.aws.amazon.com/lambda/latest/dg/configuration-response-streaming.html */
const MAX_RESPONSE_BYTES = 200 * 1024 * 1024;
const METHODS: ReadonlySet<string> = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']);
const TOKEN_HEADER = 'X-aws-proxy-auth';
const PORT_HEADER = 'X-aws-proxy-port';

/** Sends one request to the program in a machine. With a cached token it costs only one read of the registry. */
export async function invokeSession(
  deps: Dependencies,
  transport: MicrovmTransport,
  facts: CallerFacts,
  input: InvokeInput,
): Promise<MicrovmInvokeAnswer> {
  const { body = new Uint8Array(), headers = [], method, port: wantedPort } = input;
  const sessionId = parseSessionId(input.sessionId);
  const path = checkTarget(input.path);
  const port = checkPort(wantedPort, deps.settings.invoke.ports);
  if (!METHODS.has(method)) throw new MicrovmError('microvm.invalid_request', 'the method is not supported');
  if (valuesOf(headers, 'upgrade').length > 0)
    throw new MicrovmError('microvm.upgrade_unsupported', 'upgrades are not supported');
  if (body.byteLength > LAMBDA_MAX_EVENT_BYTES)
    throw new MicrovmError('microvm.body_too_large', 'request body is too large');
  if (!headers.every(isHeader)) throw new MicrovmError('microvm.invalid_request', 'a header is not valid');
  const record = await readSession(deps, facts, sessionId);
  assertReachable(record);
  const host = endpointHostOf(record.endpointHost, deps.settings.endpointHostSuffixes);
  const lifeline = new Lifeline(deps.clock, facts, MARGIN_MS);
  try {
    const token = await lifeline.race(tokenForPort(deps, facts, record, port));
    const request: TransportRequest = {
      host,
      method,
      path,
      headers: requestHeaders(deps, facts, record, input),
      body,
      times: deps.settings.invoke,
      authorize: () => [
        [TOKEN_HEADER, revealToken(token)],
        [PORT_HEADER, String(port)],
      ],
    };
    const response = await lifeline.race(transport.send(request, lifeline.signal)).catch(asWorkloadError);
    return toAnswer(deps, record, input, { response, token, host, path, lifeline });
  } catch (error) {
    lifeline.end(error);
    throw error;
  }
}

function requestHeaders(
  deps: Dependencies,
  facts: CallerFacts,
  record: SessionRecord,
  input: InvokeInput,
): HeaderEntry[] {
  const { headers = [], trace = [] } = input;
  const { cookies, identityHeaders } = deps.settings.invoke;
  const added: HeaderEntry[] = [['x-request-id', facts.requestId], ...trace];
  if (cookies === 'scoped') {
    const own = cookiesIn(valuesOf(headers, 'cookie'), cookiePrefix(record));
    if (own !== '') added.push(['cookie', own]);
  }
  if (identityHeaders) {
    added.push(['x-framework-tenant-id', encodeURIComponent(facts.tenantId)]);
    added.push(['x-framework-namespace', encodeURIComponent(facts.namespace)]);
    added.push(['x-framework-subject', encodeURIComponent(facts.identity)]);
  }
  return [...forwardedHeaders(headers), ...added];
}

interface Answered {
  readonly response: TransportResponse;
  readonly token: SecretToken;
  readonly host: string;
  readonly path: string;
  readonly lifeline: Lifeline;
}

function toAnswer(
  deps: Dependencies,
  record: SessionRecord,
  input: InvokeInput,
  answered: Answered,
): MicrovmInvokeAnswer {
  const { response, token, host, path, lifeline } = answered;
  const { publicPath, dropCors = false, maxResponseBytes = MAX_RESPONSE_BYTES } = input;
  if (response.status < 200 || response.status > 599) {
    throw new MicrovmError('microvm.workload_unreachable', 'workload unreachable', {
      cause: new Error('not a valid HTTP status'),
    });
  }
  const secret = revealToken(token);
  if (response.headers.some(([name, value]) => value.includes(secret) || name.includes(secret))) {
    throw new MicrovmError('microvm.leak_blocked', 'answer withheld');
  }
  const headers = answeredHeaders(response.headers, dropCors);
  const { location: locations = [] } = headers;
  const targets = locations.flatMap((location) => rewriteLocation(location, host, path, publicPath) ?? []);
  if (targets.length > 0) headers.location = targets;
  else delete headers.location;
  const isScoped = deps.settings.invoke.cookies === 'scoped' && publicPath !== undefined;
  const given = valuesOf(response.headers, 'set-cookie');
  const cookies = isScoped ? cookiesOut(given, cookiePrefix(record), publicPath) : [];
  return { status: response.status, headers, cookies, bodyStream: limited(response.body, maxResponseBytes, lifeline) };
}

/** A name is a token (RFC 9110 section 5.6.2); a value contains only characters that HTTP allows. */
function isHeader([name, value]: HeaderEntry): boolean {
  return /^[!#$%&'*+.^_`|~\w-]+$/.test(name.trim()) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

/** Converts an error of a transport into a MicrovmError. */
function asWorkloadError(error: unknown): never {
  // An abort keeps its reason: the end of the invocation, or the caller's signal.
  if (isFrameworkError(error)) throw error;
  throw new MicrovmError('microvm.workload_unreachable', 'workload unreachable', { cause: withoutText(error) });
}

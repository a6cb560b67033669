import type { Answer, AnswerFacts, CallArguments, Operations, Rejected } from './contract.js';
import { ClientError } from './errors.js';
import { type Exchange, exchange } from './internal/exchange.js';
import type { ClientOptions, RawInput } from './options.js';

/** Calls the operations of a service. */
export interface Client<C> {
  /**
   * Sends a request and reads its answer. An HTTP status is never an exception: `ok` is false for an error.
   *
   * Repeated at most twice, after a failed connection, 429, 502, 503 and 504: GET, HEAD, a call with an `idempotencyKey`, and one with
   * `repeat`.
   *
   * @throws ClientError `client.network`, `client.timeout`, `client.aborted`; `client.foreign` for an answer of another server;
   *   `client.invalid_answer` of the option `validate`; `client.invalid_request`
   * @example const found = await api('GET /notes/{id}', { params: { id: 'n1' } });
   */
  <K extends keyof Operations<C> & string>(
    operation: K,
    ...input: CallArguments<Operations<C>[K]>
  ): Promise<Answer<Operations<C>[K]>>;
  /** Sends a request and returns its response; the time limit ends with the headers. */
  raw(operation: string, input?: RawInput): Promise<Response>;
}

/**
 * Creates a client.
 *
 * @typeParam C the service's contract
 * @example const api = createClient<Notes>({ url, headers: () => ({ authorization: `Bearer ${token()}` }) });
 */
export function createClient<C>(options: ClientOptions): Client<C> {
  const call = async (operation: string, input: RawInput = {}) =>
    readAnswer(operation, await exchange(options, operation, input), options.validate);
  const raw = async (operation: string, input: RawInput = {}) => {
    const { response, stop } = await exchange(options, operation, input);
    stop();
    return response;
  };
  return Object.assign(call, { raw }) as unknown as Client<C>;
}

async function readAnswer(
  operation: string,
  { response, fail, stop }: Exchange,
  validate: ClientOptions['validate'],
): Promise<unknown> {
  try {
    const { status } = response;
    const data = await readBody(response);
    if (status >= 400) return rejectedOf(operation, response, data);
    validate?.(operation, status, data);
    return { ok: true, status, data, ...factsOf(response) };
  } catch (error) {
    throw error instanceof ClientError
      ? error
      : error instanceof SyntaxError
        ? foreign(operation, response, error)
        : fail(error);
  } finally {
    stop();
  }
}

/** JSON is parsed, text is a string, anything else a `Blob`; an empty body is `undefined`. */
async function readBody(response: Response): Promise<unknown> {
  if (!response.body) return undefined;
  const type = response.headers.get('content-type') ?? '';
  if (/[/+]json/.test(type)) {
    const text = await response.text();
    return text === '' ? undefined : JSON.parse(text);
  }
  if (type.startsWith('text/')) return response.text();
  const blob = await response.blob();
  return blob.size > 0 ? blob : undefined;
}

/** The error of a response that {@link Client.raw} returned. */
export async function readRejected(operation: string, response: Response): Promise<Rejected> {
  return rejectedOf(operation, response, await readBody(response).catch(() => undefined));
}

/**
 * The error of the service, in any of its three forms: nested, flat, and problem details (RFC 9457).
 *
 * @throws ClientError `client.foreign`
 */
function rejectedOf(operation: string, response: Response, data: unknown): Rejected {
  const { error = data } = (data ?? {}) as { error?: unknown };
  const { code, message, detail, details } = (error ?? {}) as Record<string, unknown>;
  if (typeof code !== 'string') throw foreign(operation, response);
  return {
    ok: false,
    status: response.status,
    error: { code, message: String(message ?? detail ?? ''), ...(details !== undefined && { details }) },
    ...factsOf(response),
  };
}

function foreign(operation: string, { status }: Response, cause?: unknown): ClientError {
  return new ClientError('client.foreign', `${operation}: status ${status} with a body of another server`, {
    status,
    cause,
  });
}

function factsOf({ headers }: Response): AnswerFacts {
  return { headers, requestId: headers.get('x-request-id') ?? undefined };
}

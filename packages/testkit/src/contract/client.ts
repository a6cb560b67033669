import { type Client, type ClientOptions, createClient } from '@sallyport/client';
import { defineOptions, kind } from '@sallyport/core/options';
import { clientAnswer } from '../answers/client-answer.js';
import { buildLambdaFunctionURLRequest } from '../builders/gateway-v2.js';
import type { LambdaApp, TestEnv } from '../env/env.js';

/** Options of {@link contractClient}. */
export interface ContractClientOptions {
  /** Headers of each request, such as `authorization`. */
  readonly headers?: ClientOptions['headers'];
  /** Data of an authorizer in the event: `{ iam }`. Default: left out. */
  readonly authorizer?: Readonly<Record<string, unknown>>;
}

const OPTIONS = defineOptions<ContractClientOptions>()({
  headers: kind('headers, or a function', (value) => ['object', 'function'].includes(typeof value) && value !== null),
  authorizer: kind('an object', (value) => typeof value === 'object' && value !== null),
});

/** Statuses for which `Response` rejects a body. */
const EMPTY = [204, 205, 304];

/**
 * Creates a client of `@sallyport/client` that sends its requests to an app as events of a function URL, without a server. Inputs and
 * answers have the types of the contract. Each request is sent once.
 *
 * @throws FrameworkError `app.invalid_configuration`, naming the option
 * @typeParam C the contract, as `sallyport types` writes it
 * @example
 * const api = contractClient<Contract>(env, app, { headers: () => ({ authorization: 'Bearer ada' }) });
 * const found = await api('GET /notes/{id}', { params: { id: 'n1' } });
 */
export function contractClient<C>(env: TestEnv, app: LambdaApp, options: ContractClientOptions = {}): Client<C> {
  const { headers, authorizer } = OPTIONS.parse(options);
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const request = new Request(url, init);
    const { pathname, search } = new URL(url);
    const bytes = new Uint8Array(await request.arrayBuffer());
    const event = buildLambdaFunctionURLRequest(request.method, pathname + search, {
      headers: Object.fromEntries(request.headers),
      ...(bytes.length > 0 && { body: bytes }),
      ...(authorizer && { authorizer }),
    });
    const { status, headers: sent, body } = clientAnswer('function-url', await env.invoke(app, event));
    return new Response(EMPTY.includes(status) || body.length === 0 ? null : Uint8Array.from(body), {
      status,
      headers: sent.map(([name, value]) => [name, value]),
    });
  };
  return createClient<C>({ url: 'https://function.invalid', fetch, retry: false, ...(headers && { headers }) });
}

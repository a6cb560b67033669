import { type Clock, type Context, type LambdaContext, type Logger, silentLogger } from '@sallyport/core';
import {
  ContextState,
  completeClock,
  copyPrincipal,
  IncomingRequest,
  parseForm,
  RequestContext,
  toHeaderMap,
} from '@sallyport/core/internal';
import { ManualIdGenerator } from '@sallyport/core/testing';

export interface ContextInput {
  readonly method?: string;
  readonly path?: string;
  readonly pattern?: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array;
  readonly tenantId?: string;
  readonly clock?: Clock;
  readonly log?: Logger;
  readonly lambdaContext?: LambdaContext;
}

/** A context as created by the pipeline, without a pipeline. */
export function contextOf(input: ContextInput = {}): Context {
  const { method = 'GET', path = '/', params = {}, query = {}, body = '' } = input;
  const headers = toHeaderMap(input.headers);
  const queryMap: Record<string, string[]> = Object.create(null);
  for (const name of Object.keys(query)) queryMap[name] = [query[name] ?? []].flat() as string[];
  const request = new IncomingRequest(method, path, path, {
    headers: () => headers,
    header: (name) => headers[name] ?? [],
    query: () => queryMap,
    cookieValues: () => headers.cookie ?? [],
    rawBody: body,
    isBase64: false,
    invalidBody: undefined,
    provenance: () => ({ sourceIP: '', provider: 'unknown', source: 'unknown', valid: false }),
  });
  const runtime = {
    clock: completeClock(input.clock),
    ids: new ManualIdGenerator(),
    log: input.log ?? silentLogger,
    environment: {},
    traceHead: [],
    copyPrincipal,
    parseForm,
    tenantOf: () => input.tenantId ?? '',
  };
  const state = new ContextState(runtime, request, 'direct', undefined, input.lambdaContext);
  state.route = { surface: 'http', method, pattern: input.pattern ?? path };
  state.paramNames = Object.keys(params);
  state.paramValues = Object.values(params);
  return new RequestContext(state);
}

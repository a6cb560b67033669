import { copyPrincipal } from '../src/context/principal.js';
import { type ContextRuntime, ContextState, IncomingRequest, type RequestSource } from '../src/internal.js';
import { type Logger, type Observability, silentLogger } from '../src/observability/hooks.js';
import { parseForm } from '../src/request/form.js';
import { unknownProvenance } from '../src/request/provenance.js';
import { type MultiMap, toHeaderMap } from '../src/request/request.js';
import type { LambdaContext } from '../src/runtime/invocation.js';
import { ManualClock, ManualIdGenerator } from '../src/testing.js';

export interface StateOptions {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly query?: MultiMap;
  readonly body?: string;
  readonly clock?: ManualClock;
  readonly log?: Logger;
  readonly observability?: Observability;
  readonly tenant?: string;
  readonly lambda?: LambdaContext;
}

/** The state of one request as created by the pipeline. */
export function requestState(options: StateOptions = {}): ContextState {
  const headers = toHeaderMap(options.headers);
  const source: RequestSource = {
    headers: () => headers,
    header: (name) => headers[name] ?? [],
    query: () => options.query ?? {},
    cookieValues: () => headers.cookie ?? [],
    rawBody: options.body ?? '',
    isBase64: false,
    provenance: unknownProvenance,
  };
  const path = options.path ?? '/users/1';
  const runtime: ContextRuntime = {
    clock: options.clock ?? new ManualClock(),
    ids: new ManualIdGenerator(),
    log: options.log ?? silentLogger,
    environment: {},
    observability: options.observability,
    traceHead: ['request_id'],
    copyPrincipal,
    parseForm,
    tenantOf: () => options.tenant ?? '',
  };
  const request = new IncomingRequest(options.method ?? 'GET', path, path, source);
  const state = new ContextState(runtime, request, 'gateway-v2', { raw: true }, options.lambda);
  state.requestId = 'req-1';
  return state;
}

/** Lets every turn that is already caused run. */
export function turns(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

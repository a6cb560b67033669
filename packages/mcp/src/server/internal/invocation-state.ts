import type { LambdaContext, SurfaceHost, TriggerKind } from '@sallyport/core';
import {
  ContextState,
  copyPrincipal,
  IncomingRequest,
  type RequestSource,
  toHeaderMap,
  unknownProvenance,
} from '@sallyport/core/pipeline';

/** An invocation that is no HTTP request. */
export interface InvocationInit {
  readonly kind: TriggerKind;
  /** The value of `ctx.event`. */
  readonly event: unknown;
  readonly lambdaContext: LambdaContext | undefined;
  readonly tenantOf: (state: ContextState) => string;
  /** The path of its request. Default `/`. */
  readonly path?: string;
  /** The headers of its request; names in any case. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The state of an invocation that is no HTTP request: a POST without a body. */
export function createInvocationState(host: SurfaceHost, init: InvocationInit): ContextState {
  const { clock, ids, log, environment, observability } = host;
  const { kind, event, lambdaContext, tenantOf, path = '/', headers = {} } = init;
  const runtime = { clock, ids, log, environment, observability, copyPrincipal, traceHead: [], tenantOf };
  const request = new IncomingRequest('POST', path, path, sourceOf(headers));
  const state = new ContextState(runtime, request, kind, event, lambdaContext);
  state.requestId = lambdaContext?.awsRequestId ?? ids.newId();
  return state;
}

function sourceOf(given: Readonly<Record<string, string>>): RequestSource {
  const headers = toHeaderMap(given);
  return {
    headers: () => headers,
    header: (name) => headers[name] ?? [],
    query: () => ({}),
    cookieValues: () => headers.cookie ?? [],
    rawBody: '',
    isBase64: false,
    provenance: unknownProvenance,
  };
}

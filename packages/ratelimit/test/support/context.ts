import {
  type Clock,
  type Context,
  type Route,
  type SourceProvenance,
  silentLogger,
  type TriggerKind,
} from '@sallyport/core';
import {
  ContextState,
  completeClock,
  IncomingRequest,
  parseForm,
  providerProvenance,
  RequestContext,
  toHeaderMap,
  unknownProvenance,
} from '@sallyport/core/internal';

export interface TestRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly route?: Route | null;
  readonly authIdentity?: string;
  readonly tenantId?: string;
  readonly provenance?: SourceProvenance;
  readonly clock?: Clock;
  readonly trigger?: TriggerKind;
  readonly webSocket?: { readonly eventType: string; readonly routeKey: string };
}

/** A context as the pipeline passes it to middleware. */
export function createContext(test: TestRequest = {}): Context {
  const headers = toHeaderMap(test.headers);
  const request = new IncomingRequest(test.method ?? 'GET', test.path ?? '/users/1', test.path ?? '/users/1', {
    headers: () => headers,
    header: (name) => headers[name] ?? [],
    query: () => ({}),
    cookieValues: () => [],
    rawBody: '',
    isBase64: false,
    provenance: () => test.provenance ?? unknownProvenance(),
  });
  const runtime = {
    clock: completeClock(test.clock),
    ids: { newId: () => 'id' },
    log: silentLogger,
    environment: {},
    traceHead: [],
    parseForm,
    tenantOf: () => test.tenantId ?? '',
  };
  const state = new ContextState(runtime as never, request, test.trigger ?? 'gateway-v2', undefined, undefined);
  state.authIdentity = test.authIdentity ?? '';
  state.route = test.route === undefined ? { surface: 'http', method: 'GET', pattern: '/users/{id}' } : test.route;
  const { webSocket } = test;
  if (webSocket) state.transport = { webSocket: () => webSocket as never };
  return new RequestContext(state);
}

export const fromIp = (address: string) => providerProvenance('apigw-v2', address);

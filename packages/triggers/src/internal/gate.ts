import type { LambdaContext, MultiMap, SecurePrincipal, SurfaceHost } from '@sallyport/core';
import {
  type ContextRuntime,
  ContextState,
  copyPrincipal,
  createMap,
  IncomingRequest,
  RequestContext,
  type RequestSource,
  toHeaderMap,
  unknownProvenance,
} from '@sallyport/core/pipeline';
import { type Members, membersOf } from './read.js';

/** What the gate decides about. */
export interface Guarded {
  readonly kind: string;
  readonly posture: unknown;
  /** The channel's pattern. */
  readonly pattern: string;
}

/**
 * Asks the gate of the container about the caller of an event. The principal resolver sees a request with the headers that the
 * service passes on, and nothing of the payload.
 *
 * @throws FrameworkError `app.unauthorized`, `app.forbidden`, or what the resolver throws
 */
export async function authorizeEvent(
  host: SurfaceHost,
  { kind, posture, pattern }: Guarded,
  event: unknown,
  lambdaContext: LambdaContext | undefined,
): Promise<SecurePrincipal | null> {
  const { info, request } = membersOf(event);
  const path = String(membersOf(membersOf(info).channel).path);
  const incoming = new IncomingRequest('POST', path, path, new HeaderSource(membersOf(membersOf(request).headers)));
  const state = new ContextState(runtimeOf(host), incoming, kind, event, lambdaContext);
  state.requestId = lambdaContext?.awsRequestId?.trim() || host.ids.newId();
  state.route = { surface: 'appsync', method: 'POST', pattern };
  try {
    await host.gate?.authorize(posture, new RequestContext(state));
  } finally {
    state.end();
  }
  return state.principal;
}

/** What a context needs of the container. */
function runtimeOf({ clock, ids, log, environment, observability }: SurfaceHost): ContextRuntime {
  const tenantOf = ({ lambdaContext }: ContextState) => lambdaContext?.tenantId ?? '';
  return { clock, ids, log, environment, observability, copyPrincipal, tenantOf, traceHead: [] };
}

/** A request without query and body. */
class HeaderSource implements RequestSource {
  readonly rawBody = '';
  readonly isBase64 = false;
  readonly #headers: MultiMap;

  constructor(headers: Members) {
    this.#headers = toHeaderMap(headers);
  }

  headers(): MultiMap {
    return this.#headers;
  }

  header(name: string): readonly string[] {
    return this.#headers[name] ?? [];
  }

  query(): MultiMap {
    return createMap();
  }

  cookieValues(): readonly string[] {
    return this.header('cookie');
  }

  provenance() {
    return unknownProvenance();
  }
}

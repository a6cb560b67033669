import type { CorsStages } from './cors.js';
import type { Kernel, Tier } from './kernel.js';
import { type AskHook, type Decorate, Pipeline, type RenderError, type Stage } from './run.js';
import { askPolicy, invoke, requestLimit } from './stages.js';

/** The stages that one surface (HTTP, WebSocket, GraphQL) provides. A stage that it does not provide is skipped. */
export interface SurfaceStages {
  /** Finds or creates the id of the request. */
  readonly requestId?: Stage;
  /** Rejects an event that the surface cannot read as a request. */
  readonly validEvent?: Stage;
  /** Cross-origin requests; HTTP only. */
  readonly cors?: CorsStages | undefined;
  /** Rejects a body that cannot be decoded. */
  readonly validBody?: Stage;
  /** Finds the operation, or answers with 404 or 405. */
  readonly route: Stage;
  /** Adds the id of the request to the answer. */
  readonly addRequestId?: Decorate;
  /** Creates the answer of an error. */
  readonly renderError: RenderError;
  /** Calls the application's error hook before `renderError`; HTTP only. */
  readonly askOnError?: AskHook | undefined;
  /** Calls the application's hook with the answer; HTTP only. */
  readonly showResponse?: Decorate | undefined;
  /** True if the surface reports the end of requests. Default false. */
  readonly observesItself?: boolean;
}

/**
 * The pipeline of a surface: all stages of a request, in this order. The first column is the lowest tier at
 * which a stage runs. When a stage answers, the later stages on the way in do not run. The way out runs for every answer, also
 * for errors.
 */
export function createPipeline(kernel: Kernel, surface: SurfaceStages): Pipeline {
  const { tier, limits, policyHook, observation, gate } = kernel;
  const { maxRequestBytes = 0, maxResponseBytes = 0 } = tier === 'p0' ? {} : limits;
  return new Pipeline({
    wayIn: upTo<Stage>(tier, [
      // Stores the start time if hooks need durations.
      ['p2', observation?.startTimer],
      // The client's `x-request-id` when it is valid, else the invocation's id, else a new one.
      ['p1', surface.requestId],
      // 400 for an event that the surface cannot read as a request (GraphQL).
      ['p0', surface.validEvent],
      // Answers CORS preflights, before routing: protected and unknown paths are answered like public paths.
      ['p1', surface.cors?.preflight],
      // 413 for a body over `limits.maxRequestBytes`, before it is decoded.
      ['p1', maxRequestBytes > 0 ? requestLimit(maxRequestBytes) : undefined],
      // 400 for invalid base64, and for a body that is not text or bytes.
      ['p0', surface.validBody],
      // Finds the operation and its path parameters: 404 for an unknown path, 405 when the path has other methods. The hook
      // `notFound` may answer a 404, `onError` every other error of any stage.
      ['p0', surface.route],
      // Starts the span of the request, when a hook or a channel listens.
      ['p2', observation?.beginSpan],
      // Calls `policyHook`; a decision with a code such as `app.overloaded` becomes the answer.
      ['p2', policyHook && askPolicy(policyHook)],
      // 401 or 403 for a caller who may not run the operation: `authHook`, or the posture of a secure container.
      ['p0', gate],
      // Middlewares, the first added outermost, then the handler.
      ['p0', invoke],
    ]),
    wayOut: upTo<Decorate>(tier, [
      // `x-request-id`.
      ['p1', surface.addRequestId],
      // `access-control-*` and `vary: origin`.
      ['p1', surface.cors?.addHeaders],
      // The hook `onResponse`.
      ['p0', surface.showResponse],
    ]),
    renderError: surface.renderError,
    askOnError: surface.askOnError,
    maxResponseBytes,
    observe: surface.observesItself ? undefined : observation?.report,
    endsLater: surface.observesItself === true,
  });
}

/** The stages of a tier and of the lower tiers. */
function upTo<T>(tier: Tier, rows: readonly (readonly [Tier, T | undefined])[]): readonly T[] {
  return rows.flatMap(([lowest, stage]) => (stage !== undefined && lowest <= tier ? [stage] : []));
}

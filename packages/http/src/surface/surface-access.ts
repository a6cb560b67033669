import type { LambdaContext, TriggerKind } from '@sallyport/core';
import type { HttpSurface } from './http-surface.js';

/** Where a container keeps what streaming handlers need of it. */
export const STREAM_ACCESS = Symbol.for('sallyport.stream-access');

export interface StreamAccess {
  readonly http: HttpSurface;
  /**
   * The kind under which an invocation is served.
   *
   * @throws FrameworkError for an event of no kind, and for an invocation that the container refuses
   */
  readonly detect: (event: unknown, lambdaContext?: LambdaContext) => TriggerKind;
}

/** Either container, as a streaming handler takes it. */
export interface StreamingApp {
  readonly [STREAM_ACCESS]: StreamAccess;
  readonly handleLambda: (event: unknown, lambdaContext?: LambdaContext) => Promise<unknown>;
}

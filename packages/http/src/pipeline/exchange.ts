import type { FrameworkError } from '@sallyport/core';
import {
  type ActiveSpan,
  type ContextState,
  type DoorTraits,
  type EncodedBody,
  RequestContext,
} from '@sallyport/core/pipeline';
import type { Registration } from '../routing/registration.js';

export type { DoorTraits, EncodedBody } from '@sallyport/core/pipeline';

/** One run through the pipeline: the invocation's state, its context, and what the stages found out. */
export class Exchange {
  readonly state: ContextState;
  readonly ctx: RequestContext;
  readonly door: DoorTraits;
  registration: Registration | undefined = undefined;
  /** The error that the answer was made of, if any. */
  error: FrameworkError | undefined = undefined;
  /** What was thrown, for logs. */
  cause: unknown = undefined;
  /** Whether its failure is in the log. */
  reported = false;
  /** Set once the answer is final, at doors that encode. */
  encoded: EncodedBody | undefined = undefined;
  /** Monotonic milliseconds; set only when somebody observes. */
  startedMs = 0;
  /** Whether the body left as a stream. */
  streamed = false;
  span: ActiveSpan | undefined = undefined;

  constructor(state: ContextState, door: DoorTraits) {
    this.state = state;
    this.ctx = new RequestContext(state);
    this.door = door;
  }
}

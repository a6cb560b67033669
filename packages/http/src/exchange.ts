import type { FrameworkError } from '@sallyport/core';
import { type ActiveSpan, type ContextState, RequestContext } from '@sallyport/core/pipeline';
import type { Registration } from './registration.js';

/** What a front door can carry. */
export interface DoorTraits {
  /** Bytes of an encoded body that the service behind the door accepts. */
  readonly maxEncodedBytes: number;
  /**
   * `collect`: a stream is read to its end first; `commit`: handed on behind its first chunk, so that a failure before it
   * is an ordinary error answer; `pass`: handed on as it is; `refuse`: answered `app.internal`.
   */
  readonly streams: 'collect' | 'commit' | 'pass' | 'refuse';
  /** Whether the body is encoded as the text of a JSON document. */
  readonly encodes: boolean;
}

/** A body as a JSON document can hold it. */
export interface EncodedBody {
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

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

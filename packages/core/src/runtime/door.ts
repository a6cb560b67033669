import type { RequestSource } from '../request/request.js';
import type { OutgoingResponse } from '../response/response.js';

/** What a front door can carry. */
export interface DoorTraits {
  /** Bytes that the service behind the door accepts. */
  readonly maxAnswerBytes: number;
  /**
   * `collect`: a stream is read to its end first; `commit`: handed on behind its first chunk, so that a failure before it
   * is an ordinary error answer; `pass`: handed on as it is; `refuse`: answered `app.internal`.
   */
  readonly streams: 'collect' | 'commit' | 'pass' | 'refuse';
  /**
   * What the service counts of an answer, in bytes. `undefined` at doors that leave the body as it is; the others encode it
   * as the text of a JSON document.
   */
  readonly measure: ((response: OutgoingResponse, body: EncodedBody, event: unknown) => number) | undefined;
}

/** A body as a JSON document can hold it. */
export interface EncodedBody {
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

/** A front door's reading of its event: method and path now, the rest when somebody asks. */
export interface DoorRequest {
  readonly method: string;
  /** Undecoded, stage cut, not yet canonical. */
  readonly path: string;
  readonly rawPath: string;
  readonly source: RequestSource;
}

/** A front door: two pure functions and what it can carry. */
export interface Door {
  readonly traits: DoorTraits;
  read(event: unknown): DoorRequest;
  /** The document that the service behind this door expects. */
  write(response: OutgoingResponse, body: EncodedBody, event: unknown): Record<string, unknown>;
}

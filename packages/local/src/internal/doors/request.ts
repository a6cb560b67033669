import type { ClientAnswer } from '@sallyport/testkit/events';
import type { RunBase } from '../host/base.js';
import type { FunctionAccess } from '../host/host.js';
import type { Identity } from '../identity/identity.js';
import type { InvokeOutcome } from '../runtime/invoker.js';

/** The parts of a run that its doors use. */
export interface DoorHost extends RunBase, FunctionAccess {
  readonly identity: Identity;
}

/** One HTTP request, as a client sends it. */
export interface DoorRequest {
  readonly method: string;
  /** With the query, still encoded. */
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  readonly sourceIp: string;
}

/** The result of a request to a door. */
export interface DoorResult {
  readonly outcome: InvokeOutcome;
  /** `undefined` if the response was streamed to the sink. */
  readonly client: ClientAnswer | undefined;
}

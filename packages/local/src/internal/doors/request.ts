import type { FunctionAccess, RunBase } from '../host/host.js';
import type { Identity } from '../identity/identity.js';

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
  /** The sender of the request, for the page. */
  readonly as?: string;
  /** The client context of a manual invocation. */
  readonly clientContext?: unknown;
  /** Builder options in addition to the request. */
  readonly more?: Readonly<Record<string, unknown>>;
}

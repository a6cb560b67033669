import type { Sockets } from '../doors/sockets.js';
import type { Executions } from '../executions/executions.js';
import type { Identity } from '../identity/identity.js';
import type { Inspection } from '../inspect/inspection.js';
import type { Invoker } from '../runtime/invoker.js';
import type { Sender } from '../send/send.js';
import type { Sources } from '../sources/sources.js';
import type { State } from '../state/state.js';
import type { RunBase } from './base.js';

/** The APIs that can have a Lambda authorizer; `http` is both the HTTP API and the REST API. */
export type AuthorizedApi = 'http' | 'webSocket' | 'graphql';

/** The function of a run, and its authorizers. */
export interface FunctionAccess {
  readonly invoker: Invoker;
  /** Runs the entry's export that is the Lambda authorizer of an API, as a separate function; `undefined` if absent. */
  authorizer(api: AuthorizedApi): Invoker | undefined;
  /** The description of the running function; another object after a reload. */
  inspection(): Inspection;
  /** Called with the new inspection after each build that starts. @returns a function that ends the subscription */
  onInspection(listener: (inspection: Inspection) => void): () => void;
}

/** A whole run. A part receives only the members that exist before it. */
export interface Host extends RunBase, FunctionAccess {
  readonly identity: Identity;
  readonly state: State;
  readonly sources: Sources;
  readonly sockets: Sockets;
  readonly sender: Sender;
  /** The executions, if the function is durable. */
  readonly executions?: Executions | undefined;
}

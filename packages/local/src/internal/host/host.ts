import type { FullClock } from '@sallyport/core';
import type { Config } from '../config/config.js';
import type { Sockets } from '../doors/sockets.js';
import type { Identity } from '../identity/identity.js';
import type { Inspection } from '../inspect/inspection.js';
import type { Journal } from '../journal/journal.js';
import type { Invoker } from '../runtime/invoker.js';
import type { Sender } from '../send/send.js';
import type { Sources } from '../sources/sources.js';
import type { State } from '../state/state.js';

/** The credentials of one run, created at its start. The function and the developer's clients sign with them. */
export interface RunKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Session token of the developer's credentials, if AWS services are called for real. */
  readonly sessionToken?: string;
}

/** The ports of a run. `0` for a door that is not open. */
export interface Ports {
  readonly console: number;
  readonly 'gateway-v2': number;
  readonly 'gateway-v1': number;
  readonly 'load-balancer': number;
  readonly 'function-url': number;
  readonly websocket: number;
  readonly graphql: number;
  readonly aws: number;
}

/** The account in all ARNs of a run. */
export const ACCOUNT = '123456789012';

/** The APIs that can have a Lambda authorizer; `http` is both the HTTP API and the REST API. */
export type AuthorizedApi = 'http' | 'webSocket' | 'graphql';

/** The state shared by all parts of a run. One object per run of `sallyport dev`. */
export interface Host {
  readonly config: Config;
  /** Real time; only the clock of the sources has a speed above 1. */
  readonly clock: FullClock;
  readonly keys: RunKeys;
  /** 192 bits, base64url: the console's pages and the commands send it as a bearer token. */
  readonly token: string;
  /** Filled while the parts start. */
  readonly ports: { -readonly [D in keyof Ports]: number };
  readonly journal: Journal;
  readonly invoker: Invoker;
  /** Runs the entry's export that is the Lambda authorizer of an API, as a separate function; `undefined` if absent. */
  authorizer(api: AuthorizedApi): Invoker | undefined;
  readonly sources: Sources;
  readonly state: State;
  readonly identity: Identity;
  readonly sockets: Sockets;
  readonly sender: Sender;
  /** The description of the running function; another object after a reload. */
  inspection(): Inspection;
  /** Called with the new inspection after each build that starts. @returns a function that ends the subscription */
  onInspection(listener: (inspection: Inspection) => void): () => void;
  /** Registers a process that must end with this run even if the run is killed: DynamoDB's process. */
  guard?(pid: number): void;
  /** One line for the terminal and the console: a message to the developer with the remedy. */
  notice(text: string): void;
}

/** A part of a run. Started in the order of `parts.ts`, stopped in the reverse order. */
export interface Part {
  /** For error messages: `AWS port`. */
  readonly name: string;
  /** Variables that this part passes to the function, read before its environments start. */
  variables?(): Readonly<Record<string, string>>;
  /** @throws FrameworkError with a message for the developer: the run exits with code 2 */
  start(): Promise<void>;
  /** Never throws. */
  stop(): Promise<void>;
}

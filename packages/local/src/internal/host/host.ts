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

/** The credentials of one run, made at its start: the function and the developer's own clients sign with them. */
export interface RunKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of the developer's own credentials, when services are let through to AWS. */
  readonly sessionToken?: string;
}

/** The ports of a run. `0` while a door is not open. */
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

/** The account that all names of a run stand in. */
export const ACCOUNT = '123456789012';

/** The APIs that can have a Lambda authorizer; `http` stands for the HTTP API and the REST API. */
export type AuthorizedApi = 'http' | 'webSocket' | 'graphql';

/** What every part of a run can reach. One object for one run of `sallyport dev`. */
export interface Host {
  readonly config: Config;
  /** Real time; a speed above 1 lives in the clock of the sources alone. */
  readonly clock: FullClock;
  readonly keys: RunKeys;
  /** 192 bits, base64url: the console's pages and the commands send it as a bearer token. */
  readonly token: string;
  /** Filled while the parts start. */
  readonly ports: { -readonly [D in keyof Ports]: number };
  readonly journal: Journal;
  readonly invoker: Invoker;
  /** Runs the export of the entry that is the Lambda authorizer of an API, as a function of its own; `undefined` without one. */
  authorizer(api: AuthorizedApi): Invoker | undefined;
  readonly sources: Sources;
  readonly state: State;
  readonly identity: Identity;
  readonly sockets: Sockets;
  readonly sender: Sender;
  /** What the function that runs now says of itself; another object after a reload. */
  inspection(): Inspection;
  /** Called after each build that is running, with the new inspection. @returns the end of the subscription */
  onInspection(listener: (inspection: Inspection) => void): () => void;
  /** Ends this process when the run is killed: DynamoDB's. */
  guard?(pid: number): void;
  /** One line for the terminal and the console: something that the developer should know, and what to do. */
  notice(text: string): void;
}

/** A part of a run. Started in the order of `parts.ts`, stopped in the reverse order. */
export interface Part {
  /** For error messages: `AWS port`. */
  readonly name: string;
  /** Variables that the function gets from this part, asked before its environments start. */
  variables?(): Readonly<Record<string, string>>;
  /** @throws FrameworkError with a string for the developer: the run ends with exit code 2 */
  start(): Promise<void>;
  /** Never throws. */
  stop(): Promise<void>;
}

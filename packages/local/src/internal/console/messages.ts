import type { Outgoing } from '../doors/iam-authorizer.js';
import type { Batch } from '../journal/feed.js';
import type { TestedFunctions } from '../recordings/save-test.js';
import type { TerminalOptions } from './terminal.js';

/** The settings of the console's thread. */
export interface ThreadSettings {
  /** The project, for the lines of the source that failures show. */
  readonly folder: string;
  /** The folder of the invocations. */
  readonly history: string;
  /** The folder with the built page. */
  readonly assets: string;
  readonly reveal: boolean;
  /** The functions of the run, for tests of them. */
  readonly tested: TestedFunctions;
  /** `0` selects a free port. */
  readonly port: number;
  readonly token: string;
}

/** A call that the host answers: a request to a route of the console that needs the run. */
export interface HostCall {
  readonly method: string;
  readonly path: string;
  /** Without `?`. */
  readonly query: string;
  /** `''` if the request has no body. */
  readonly body: string;
}

/** The answer to a {@link HostCall}; `text` is JSON. */
export type HostAnswer =
  | { readonly text: string }
  | { readonly status: number; readonly code: string; readonly message: string };

/** The door of a kind, with the headers of one request to it; `undefined` if it is not open. */
export type DoorAnswer = Pick<Outgoing, 'port' | 'headers'> | undefined;

/** Requests of the thread to the host, and their answers. */
export interface HostQuestions {
  readonly call: { readonly input: HostCall; readonly answer: HostAnswer };
  readonly door: { readonly input: Omit<Outgoing, 'port'> & { readonly kind: string }; readonly answer: DoorAnswer };
  /** Answered after all changes of the journal were sent. */
  readonly sync: { readonly input: null; readonly answer: null };
}

export type Question = {
  [Q in keyof HostQuestions]: {
    readonly type: 'ask';
    readonly ask: Q;
    readonly of: number;
    readonly input: HostQuestions[Q]['input'];
  };
}[keyof HostQuestions];

export type ToThread =
  | { readonly type: 'batch'; readonly batch: Batch }
  | { readonly type: 'answer'; readonly of: number; readonly answer: unknown }
  | { readonly type: 'failed'; readonly of: number }
  | { readonly type: 'print'; readonly options: TerminalOptions }
  | { readonly type: 'stop' };

export type FromThread =
  | Question
  | { readonly type: 'started'; readonly port: number }
  | { readonly type: 'not started'; readonly code: string | undefined; readonly message: string }
  | { readonly type: 'confirm'; readonly number: number }
  | { readonly type: 'print'; readonly text: string }
  | { readonly type: 'notice'; readonly text: string }
  | { readonly type: 'fault'; readonly message: string }
  | { readonly type: 'stopped' };

import type { FullClock } from '@sallyport/core';
import type { Config } from '../config/config.js';
import type { Journal } from '../journal/journal.js';
import type { RunKeys } from './keys.js';
import type { Ports } from './ports.js';

/** The basis of all parts of a run: its settings, keys, ports and journal. */
export interface RunBase {
  readonly config: Config;
  /** Real time; only the clock of the sources has a speed above 1. */
  readonly clock: FullClock;
  readonly keys: RunKeys;
  /** 192 bits, base64url: the console's pages and the commands send it as a bearer token. */
  readonly token: string;
  /** A part changes the port of its server if it listens on another port, or not at all. */
  readonly ports: { -readonly [D in keyof Ports]: number };
  readonly journal: Journal;
  /** Registers a process that must end with this run even if the run is killed: DynamoDB's process. */
  guard(pid: number): void;
  /** One line for the terminal and the console: a message to the developer with the remedy. */
  notice(text: string): void;
}

/** A part of a run. */
export interface Part {
  /** For error messages: `AWS port`. */
  readonly name: string;
  /** @throws FrameworkError with a message for the developer: the run exits with code 2 */
  start(): Promise<void>;
  /** Never throws. */
  stop(): Promise<void>;
}

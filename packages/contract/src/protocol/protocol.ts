import { brandError } from '@sallyport/core/internal';
import type { Fixture, Setup, Step } from '../fixtures/fixture.js';
import type { JsonObject } from '../fixtures/json.js';

/** Name and major version of the contract between runner and runtimes. */
export const PROTOCOL = 'framework.contract/1';

/** The longest line in either direction, in bytes. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;

/** The first message of the runner. */
export interface HelloMessage {
  /** The kind of the message. */
  readonly type: 'hello';
  /** {@link PROTOCOL}. */
  readonly protocol: string;
  /** SHA-256 of all fixture files, hexadecimal. */
  readonly fixtures: string;
}

/** The first answer of a runtime: its abilities. */
export interface HelloAnswer {
  /** The kind of the answer. */
  readonly type: 'hello';
  /** The protocol that the runtime speaks; its major version must equal the major version of the runner. */
  readonly protocol: string;
  /** Name and version of the runtime; the name finds its file in `skips/`. */
  readonly runtime: { readonly name: string; readonly version: string };
  /** Areas that it supports; fixtures of other areas are skipped. */
  readonly areas: readonly string[];
  /** Supported calls. Not judged. */
  readonly calls: readonly string[];
  /** Supported named handlers. Not judged. */
  readonly handlers: readonly string[];
}

/** The part of a fixture that a runtime receives. It never contains the expected results. */
export interface RunMessage {
  /** The kind of the message. */
  readonly type: 'run';
  /** Number of the message, from 1; the answer repeats it. */
  readonly seq: number;
  /** Id of the fixture. */
  readonly id: string;
  /** Area of the fixture. */
  readonly area: string;
  /** Objects and registrations to create, after the expansion. */
  readonly setup: Setup;
  /** The calls, after the expansion of everything except `$from`. */
  readonly steps: readonly Step[];
}

/** The outcome of a fixture in a runtime. */
export interface DoneMessage {
  /** The kind of the answer. */
  readonly type: 'done';
  /** Number of the message that it answers. */
  readonly seq: number;
  /** The error of the container's construction; `null` for none. */
  readonly construction_error: JsonObject | null;
  /** The outcome of each step, in order; empty after a construction error. */
  readonly steps: readonly JsonObject[];
}

/** The answer of a runtime that does not understand a fixture. Without a skip it is a failure. */
export interface UnsupportedMessage {
  /** The kind of the answer. */
  readonly type: 'unsupported';
  /** Number of the message that it answers. */
  readonly seq: number;
  /** A description of what it does not understand. */
  readonly reason: string;
}

/** A runtime that can be tested with the fixtures: packages in this process, or another program over a pipe. */
export interface ContractRuntime {
  /** Answers the first message. */
  hello(message: HelloMessage): Promise<HelloAnswer>;
  /** Runs one fixture in a fresh container. */
  run(message: RunMessage): Promise<DoneMessage | UnsupportedMessage>;
  /** Ends the conversation. */
  bye(): Promise<void>;
  /** Stops a hanging runtime and starts a new one. A runtime without it cannot be restarted. */
  restart?(): Promise<void>;
  /** Kills the runtime immediately, after an error of the communication. */
  kill?(): Promise<void>;
}

/** The other side violated the protocol. */
export class ProtocolError extends Error {
  static {
    brandError(ProtocolError, 'sallyport.ProtocolError');
  }

  override readonly name = 'ProtocolError';
}

export function runMessage(fixture: Fixture, seq: number): RunMessage {
  const { id, area, setup, input } = fixture;
  return { type: 'run', seq, id, area, setup, steps: input.steps };
}

/** @throws ProtocolError for another major version, or an answer that is not a hello */
export function checkHello(answer: HelloAnswer): HelloAnswer {
  const { type, protocol, runtime, areas } = answer;
  if (type !== 'hello') throw new ProtocolError('the first answer is not hello');
  checkProtocol(protocol);
  if (typeof runtime?.name !== 'string' || !Array.isArray(areas))
    throw new ProtocolError('hello names no runtime or areas');
  return answer;
}

/** @throws ProtocolError for another major version */
export function checkProtocol(protocol: unknown): void {
  const major = /^framework\.contract\/(\d+)(?:\.\d+)*$/.exec(String(protocol))?.[1];
  if (major !== '1') throw new ProtocolError(`protocol ${JSON.stringify(protocol)} is not ${PROTOCOL}`);
}

/** @throws ProtocolError for another sequence number, or an answer other than `done` or `unsupported` */
export function checkAnswer(answer: DoneMessage | UnsupportedMessage, seq: number): DoneMessage | UnsupportedMessage {
  if (answer.seq !== seq) throw new ProtocolError(`answer has seq ${JSON.stringify(answer.seq)} instead of ${seq}`);
  if (answer.type === 'unsupported') return answer;
  if (answer.type !== 'done' || !Array.isArray(answer.steps))
    throw new ProtocolError('answer must be "done" or "unsupported"');
  return answer;
}

const NEWLINE = 10;

/** Splits a byte stream into lines of JSON objects. */
export class LineReader {
  readonly #onMessage: (message: unknown) => void;
  readonly #onBreach: (error: ProtocolError) => void;
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true });
  #parts: Uint8Array[] = [];
  #size = 0;

  constructor(onMessage: (message: unknown) => void, onBreach: (error: ProtocolError) => void) {
    this.#onMessage = onMessage;
    this.#onBreach = onBreach;
  }

  push(bytes: Uint8Array): void {
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      this.#add(bytes.subarray(start, end));
      this.#endLine();
      start = end + 1;
    }
    this.#add(bytes.subarray(start));
    if (this.#size > MAX_LINE_BYTES) this.#endLine();
  }

  /** Bytes after the last newline are an incomplete line. */
  end(): void {
    if (this.#size > 0) this.#onBreach(new ProtocolError('the last line has no end'));
  }

  #add(bytes: Uint8Array): void {
    this.#parts.push(bytes);
    this.#size += bytes.length;
  }

  #endLine(): void {
    const line = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#size = 0;
    const message = line.length > MAX_LINE_BYTES ? undefined : this.#parse(line);
    if (line.length > MAX_LINE_BYTES) this.#onBreach(new ProtocolError('a line is longer than 8 MiB'));
    else if (message === undefined) this.#onBreach(new ProtocolError('a line is not a JSON object'));
    else this.#onMessage(message);
  }

  #parse(line: Uint8Array): object | undefined {
    try {
      const message: unknown = JSON.parse(this.#utf8.decode(line));
      return typeof message === 'object' && message !== null && !Array.isArray(message) ? message : undefined;
    } catch {
      return undefined;
    }
  }
}

/**
 * One message as a line.
 *
 * @throws ProtocolError for a message that is too long
 */
export function toLine(message: object): string {
  const line = JSON.stringify(message);
  if (Buffer.byteLength(line) > MAX_LINE_BYTES) throw new ProtocolError('a message is longer than 8 MiB');
  return `${line}\n`;
}

import { brandError } from '@sallyport/core/pipeline';
import type { Fixture, Setup, Step } from './fixture.js';
import type { JsonObject } from './json.js';

/** Name and major version of the contract between runner and runtimes. */
export const PROTOCOL = 'framework.contract/1';

/** The longest line in either direction, in bytes. */
export const MAX_LINE_BYTES = 8 * 1024 * 1024;

export interface HelloMessage {
  readonly type: 'hello';
  readonly protocol: string;
  /** SHA-256 of all fixture files, hexadecimal. */
  readonly fixtures: string;
}

export interface HelloAnswer {
  readonly type: 'hello';
  readonly protocol: string;
  readonly runtime: { readonly name: string; readonly version: string };
  readonly areas: readonly string[];
  readonly calls: readonly string[];
  readonly handlers: readonly string[];
}

/** What a runtime sees of a fixture: never what is expected of it. */
export interface RunMessage {
  readonly type: 'run';
  readonly seq: number;
  readonly id: string;
  readonly area: string;
  readonly setup: Setup;
  readonly steps: readonly Step[];
}

export interface DoneMessage {
  readonly type: 'done';
  readonly seq: number;
  readonly construction_error: JsonObject | null;
  readonly steps: readonly JsonObject[];
}

export interface UnsupportedMessage {
  readonly type: 'unsupported';
  readonly seq: number;
  readonly reason: string;
}

/** Whatever can be held against the fixtures: packages in process, or a foreign program behind a pipe. */
export interface ContractRuntime {
  hello(message: HelloMessage): Promise<HelloAnswer>;
  run(message: RunMessage): Promise<DoneMessage | UnsupportedMessage>;
  bye(): Promise<void>;
  /** Ends what hangs and starts afresh. A runtime without it cannot be restarted. */
  restart?(): Promise<void>;
  /** Ends it at once, when it cannot be talked to any more. */
  kill?(): Promise<void>;
}

/** The other side broke the protocol. */
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

/** @throws ProtocolError for another major version, or an answer that is no hello */
export function checkHello(answer: HelloAnswer): HelloAnswer {
  const { type, protocol, runtime, areas } = answer;
  if (type !== 'hello') throw new ProtocolError('the first answer is no hello');
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

/** @throws ProtocolError for another sequence number, or an answer that is neither done nor unsupported */
export function checkAnswer(answer: DoneMessage | UnsupportedMessage, seq: number): DoneMessage | UnsupportedMessage {
  if (answer.seq !== seq) throw new ProtocolError(`answer has seq ${JSON.stringify(answer.seq)} instead of ${seq}`);
  if (answer.type === 'unsupported') return answer;
  if (answer.type !== 'done' || !Array.isArray(answer.steps))
    throw new ProtocolError('answer is neither done nor unsupported');
  return answer;
}

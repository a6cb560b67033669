import { isObject } from '@sallyport/core/internal';
import { type McpRequest, messageFrame, nowMs, primingFrame } from '../../http/internal/transport.js';
import { randomText } from '../../internal/crypto.js';
import { errorText } from '../../protocol/internal/json-rpc.js';
import type { InputRequest, JsonObject, RequestId } from '../../protocol/types.js';
import type { CallFacts, PackedMemory, Question } from '../../run/internal/record.js';
import { tooLarge } from '../../server/errors.js';
import { type ServerData, storeOf } from '../../server/internal/server-data.js';
import { toTheEnd, whileClientWaits, withLastingStore } from '../../store/internal/lasting.js';
import { dropText, type Kept, packText, readText, unpackText } from '../../store/internal/row-text.js';
import { type Row, toTtl } from '../../store/store.js';

/**
 * `open`: its handler closed it, and a request may claim it. `waiting`: for answers. `running`: until its lease ends. `ended`: its last
 * event is the response. `cancelled`: it has no response.
 */
export type StreamState = 'open' | 'waiting' | 'running' | 'ended' | 'cancelled';

/** The head row of a stream: its state. */
export interface StreamHead {
  readonly state: StreamState;
  /** The parameters, only if the handler may be called again. */
  readonly request: { readonly id: RequestId; readonly method: string; readonly params: JsonObject | undefined };
  /** Names the call in log records; absent in rows of older versions. */
  readonly facts?: CallFacts;
  /** The scopes that the call needed: a reader of the stream needs them too. */
  readonly scopes: readonly string[];
  readonly anyScope: readonly string[];
  readonly protocolVersion: string;
  readonly memory: PackedMemory;
  /** Questions of this round without an answer; with `asked` if the handler reads the answers itself. */
  readonly pending: readonly (Pick<Question, 'key' | 'digest'> & { readonly asked?: InputRequest })[];
  /** Sequence number of the next event, as of the last save. */
  readonly next: number;
  /** Epoch milliseconds after which the run counts as lost. */
  readonly lease: number;
  /** Epoch milliseconds of the last change of the state. */
  readonly since: number;
  /** Set if the run with the question is waiting; a request with an answer then only records the answer. */
  readonly hold?: true;
  /** Set while a run holds its questions: a request with an answer then stores a note for the run. */
  readonly notes?: true;
}

/** The answer to a held question, in a separate row: another instance may receive it. */
export interface HeldNote {
  readonly value?: unknown;
  readonly large?: true;
  /** Set instead of an answer when the call is parked: from then on, the head of the stream receives answers. */
  readonly parked?: true;
}

/** Another writer has taken the stream over. */
export class StreamLost extends Error {}

const STREAM_TTL_MS = 3_600_000;
const HEAD = '!';
const WRITER_BYTES = 12;
/** Limits the number of events in a row, so that a replay does not start at the beginning. */
const MAX_EVENTS_A_ROW = 32;
const SPLIT_BYTES = 128 * 1024;
const PAGE_ROWS = 50;
const STREAM_ID = /^[A-Za-z0-9_-]{12}$/;

/** Creates the name of a stream. */
export function newStreamId(): string {
  return randomText(9);
}

/** Stream and sequence number of an event id, or `undefined`. */
export function parseEventId(text: string): { readonly stream: string; readonly sequence: number } | undefined {
  const dot = text.indexOf('.');
  const stream = text.slice(0, dot);
  const digits = text.slice(dot + 1);
  if (dot < 0 || !STREAM_ID.test(stream) || !/^(0|[1-9]\d{0,14})$/.test(digits)) return undefined;
  return { stream, sequence: Number(digits) };
}

/** Called for a message that is too large for the store. */
export type ReportTooLarge = (what: Kept, bytes: number) => void;

/** One write of the head row. A repetition has the same id. */
interface HeadWrite {
  readonly head: StreamHead;
  readonly row: Row;
}

/**
 * The events of one stream and its head. The holder of the lease is the only writer. Failed writes are repeated, because work may have
 * run before them.
 */
export class StreamLog {
  readonly #server: ServerData;
  readonly #http: McpRequest;
  /** The server with a store that repeats failed writes. */
  readonly #lasting: ServerData;
  readonly id: string;
  readonly partition: string;
  /** Sequence number of the next event; the first is 1, priming is 0. */
  next = 1;
  /**
   * True if a client waits and gets the result even if it is not stored. If not, writes are repeated until the end of the invocation.
   */
  isAwaited = true;
  #version = 0;
  /** The head, as last read or saved, and the data of its row. */
  #head: StreamHead | undefined;
  #headData: Uint8Array | undefined;
  /** A failed write that may have been applied. It is repeated before the next write. */
  #unsure: HeadWrite | undefined;
  /** Saves run one after another: each save uses the version of the previous save. */
  #saving: Promise<unknown> = Promise.resolve();

  constructor(server: ServerData, sessionPartition: string, id: string, http: McpRequest) {
    this.#server = server;
    this.#http = http;
    this.#lasting = withLastingStore(server, http.clock, () => (this.isAwaited ? whileClientWaits : toTheEnd)(http)());
    this.id = id;
    this.partition = `e#${sessionPartition.slice(2)}#${id}`;
  }

  /** Reads a stored stream; `undefined` if absent. */
  static async read(server: ServerData, sessionPartition: string, id: string, http: McpRequest) {
    const log = new StreamLog(server, sessionPartition, id, http);
    const found = await readText(storeOf(server), server.settings.spill, {
      partition: log.partition,
      sort: HEAD,
    });
    if (!found) return undefined;
    const head = JSON.parse(found.text) as StreamHead;
    log.next = head.next;
    log.#version = found.row.version;
    log.#headData = found.row.data;
    log.#head = head;
    return { log, head };
  }

  /** Numbers messages and returns them as frames. */
  frames(messages: readonly string[], from = this.next): string {
    if (from === this.next) this.next += messages.length;
    return messages.map((json, index) => messageFrame(json, `${this.id}.${from + index}`)).join('');
  }

  /** The id of the last event so far, without data. */
  priming(sequence = this.next - 1, retryMs?: number): string {
    return primingFrame(`${this.id}.${sequence}`, retryMs);
  }

  /**
   * Stores messages with their numbers before they are sent. A message that is too large is replaced by a short message; a response
   * is replaced by an error.
   *
   * @throws StreamLost if another writer was faster
   */
  async append(messages: readonly string[], report: ReportTooLarge, first = this.next): Promise<void> {
    const { spill } = this.#lasting.settings;
    const most = this.#lasting.maxKeptBytes;
    const kept = messages.map((json) => {
      const bytes = Buffer.byteLength(json);
      return bytes <= most ? json : standIn(json, bytes, most, report);
    });
    let sequence = first;
    for (const group of split(kept)) {
      const data = await packText(spill, group.join('\n'));
      const row = { partition: this.partition, sort: pad(sequence), version: 1, ttl: this.#ttl(), data };
      if (!(await storeOf(this.#lasting).put(row, 'absent'))) throw new StreamLost();
      sequence += group.length;
    }
  }

  /**
   * Saves the head if it has not changed since it was read.
   *
   * @throws TooLargeToStore
   */
  save(head: StreamHead): Promise<boolean> {
    return this.#afterOthers(() => this.#save(head));
  }

  /** Extends the lease. Returns `false` if another run has taken over the stream. */
  renew(lease: number): Promise<boolean> {
    return this.#afterOthers(async () => this.#head?.state === 'running' && this.#save({ ...this.#head, lease }));
  }

  #afterOthers<T>(save: () => Promise<T>): Promise<T> {
    const saved = this.#saving.then(save);
    this.#saving = saved.catch(() => {});
    return saved;
  }

  async #save(head: StreamHead): Promise<boolean> {
    if (this.#unsure && !(await this.#put(this.#unsure))) return false;
    const data = await packText(this.#lasting.settings.spill, JSON.stringify(head));
    const row = { partition: this.partition, sort: HEAD, version: this.#version + 1, ttl: this.#ttl(), data };
    return this.#put({ head, row: { ...row, writer: randomText(WRITER_BYTES) } });
  }

  async #put(write: HeadWrite): Promise<boolean> {
    const { row, head } = write;
    this.#unsure = write;
    const isSaved = await storeOf(this.#lasting).put(row, this.#version === 0 ? 'absent' : { version: this.#version });
    this.#unsure = undefined;
    await dropText(this.#server.settings.spill, isSaved ? this.#headData : row.data);
    if (isSaved) {
      this.#version = row.version;
      this.#headData = row.data;
      this.#head = head;
    }
    return isSaved;
  }

  /** Stores the note of a held question; `false` if it has one already. */
  async putNote(key: string, note: HeldNote): Promise<boolean> {
    const { store, spill } = this.#lasting.settings;
    const data = await packText(spill, JSON.stringify(note));
    const row = { partition: this.partition, sort: HEAD + key, version: 1, ttl: this.#ttl(), data };
    const isNew = (await store?.put(row, 'absent')) === true;
    if (!isNew) await dropText(spill, data);
    return isNew;
  }

  /** The note of a held question; `undefined` if absent. */
  async readNote(key: string): Promise<HeldNote | undefined> {
    const place = { partition: this.partition, sort: HEAD + key };
    const found = await readText(storeOf(this.#server), this.#server.settings.spill, place);
    return found && (JSON.parse(found.text) as HeldNote);
  }

  /** Deletes the note of a question whose key can be used again. */
  async removeNote(key: string): Promise<void> {
    const removed = await storeOf(this.#lasting).take({ partition: this.partition, sort: HEAD + key });
    await dropText(this.#server.settings.spill, removed?.data);
  }

  /** Deletes the head row of an answered question. */
  async remove(): Promise<void> {
    const removed = await storeOf(this.#server).take({ partition: this.partition, sort: HEAD });
    await dropText(this.#server.settings.spill, removed?.data);
  }

  /** Stored messages from a sequence number on, in order, up to a gap. */
  async readFrom(sequence: number): Promise<string[]> {
    const messages: string[] = [];
    let after = pad(Math.max(0, sequence - MAX_EVENTS_A_ROW));
    for (;;) {
      const rows = await storeOf(this.#server).list(this.partition, after, PAGE_ROWS);
      for (const row of rows) {
        const first = Number(row.sort);
        const expected = sequence + messages.length;
        const text = first <= expected ? await unpackText(this.#server.settings.spill, row) : undefined;
        if (text === undefined) return messages;
        messages.push(...text.split('\n').slice(expected - first));
      }
      const last = rows.at(-1);
      if (!last || rows.length < PAGE_ROWS) return messages;
      after = last.sort;
    }
  }

  #ttl(): number {
    return toTtl(nowMs(this.#http.clock) + STREAM_TTL_MS);
  }
}

/** True if a stored message is the response to a request: the last message of its stream. */
export function isResponse(json: string | undefined): boolean {
  if (json === undefined) return false;
  const message: unknown = JSON.parse(json);
  return isObject(message) && message.method === undefined;
}

/** The replacement for a message that is too large, for a client that resumes. */
function standIn(json: string, bytes: number, limit: number, report: ReportTooLarge): string {
  const message = JSON.parse(json) as { readonly id?: RequestId; readonly method?: string };
  if (message.method !== undefined) {
    report('event', bytes);
    const params = { level: 'warning', data: `An event of ${bytes} bytes was too large to keep.` };
    return JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params });
  }
  report('result', bytes);
  const error = tooLarge('result', bytes, limit);
  return errorText(message.id ?? null, error.code, error.message, error.data);
}

function pad(sequence: number): string {
  return String(sequence).padStart(10, '0');
}

/**
 * Groups messages so that each group fits into a row, one message on each line (JSON text contains no line break). A message that
 * is too large gets its own row.
 */
function split(messages: readonly string[]): string[][] {
  const groups: string[][] = [];
  let bytes = 0;
  for (const json of messages) {
    const size = Buffer.byteLength(json);
    const last = groups.at(-1);
    if (!last || last.length >= MAX_EVENTS_A_ROW || bytes + size > SPLIT_BYTES) {
      groups.push([json]);
      bytes = size;
    } else {
      last.push(json);
      bytes += size;
    }
  }
  return groups;
}

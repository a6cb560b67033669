import { messageFrame, primingFrame } from '../../http/internal/exchange.js';
import type { InputRequest, JsonObject, RequestId } from '../../protocol/types.js';
import type { Question } from '../../run/internal/ask.js';
import type { PackedMemory } from '../../run/internal/record.js';
import { type Core, storeOf } from '../../server/internal/core.js';
import { nodeCrypto, randomText } from '../../store/internal/crypto.js';
import { type McpSpill, type Row, toTtl } from '../../store/store.js';

/** Bytes of data that a row holds itself. */
const MAX_ROW_BYTES = 256 * 1024;
const MAX_SPILLED_BYTES = 5 * 1024 * 1024;

/** The first byte of row data: the text follows, or a pointer to where it was spilled. */
const INLINE = ' ';
const SPILLED = '@';

interface Pointer {
  readonly key: string;
  readonly length: number;
  readonly sha256: string;
}

/** Thrown when a text is larger than rows, or the spill, take. */
export class TooLargeToStore extends Error {}

/** Text as row data, spilled when it is too large. */
async function packText(spill: McpSpill | undefined, text: string): Promise<Uint8Array> {
  const size = Buffer.byteLength(text, 'utf8');
  if (size <= MAX_ROW_BYTES) return Buffer.from(INLINE + text, 'utf8');
  if (!spill || size > MAX_SPILLED_BYTES) throw new TooLargeToStore();
  const key = `mcp/${randomText(24)}`;
  const bytes = Buffer.from(text, 'utf8');
  await spill.put(key, bytes);
  const pointer: Pointer = { key, length: bytes.length, sha256: sha256(bytes) };
  return Buffer.from(SPILLED + JSON.stringify(pointer), 'utf8');
}

/** The text of a row; `undefined` when its spilled part is gone or was changed. */
async function unpackText(spill: McpSpill | undefined, row: Row): Promise<string | undefined> {
  const text = toText(row.data);
  if (text.startsWith(INLINE)) return text.slice(1);
  const pointer = JSON.parse(text.slice(1)) as Pointer;
  const bytes = await spill?.get(pointer.key);
  return bytes?.length === pointer.length && sha256(bytes) === pointer.sha256 ? toText(bytes) : undefined;
}

function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

function sha256(bytes: Uint8Array): string {
  return nodeCrypto().createHash('sha256').update(bytes).digest('base64url');
}

/**
 * `open`: closed by its handler, to be claimed. `waiting`: for answers. `running`: until its lease ends. `ended`: its
 * last event is the response. `cancelled`: there is none.
 */
export type StreamState = 'open' | 'waiting' | 'running' | 'ended' | 'cancelled';

/** The row that says how a stream stands. */
export interface StreamHead {
  readonly state: StreamState;
  readonly request: { readonly id: RequestId; readonly method: string; readonly params: JsonObject | undefined };
  readonly protocolVersion: string;
  readonly memory: PackedMemory;
  /** Questions of this round that have no answer yet; with `asked` where the handler reads the answers itself. */
  readonly pending: readonly (Pick<Question, 'key' | 'digest'> & { readonly asked?: InputRequest })[];
  /** Sequence number of the next event, as of the last save. */
  readonly next: number;
  /** Epoch milliseconds: a run is lost when this has passed. */
  readonly lease: number;
  /** Epoch milliseconds: when the stream came to wait. */
  readonly since: number;
  /** The asking run waits itself; whoever brings an answer only records it. */
  readonly hold?: true;
}

/** Another writer has taken the stream over. */
export class StreamLost extends Error {}

const STREAM_TTL_MS = 3_600_000;
const HEAD = '!';
/** Keeps the row of an event near its sequence number, so that a replay need not start at the beginning. */
const MAX_EVENTS_A_ROW = 32;
const SPLIT_BYTES = 128 * 1024;
const PAGE_ROWS = 50;
const STREAM_ID = /^[A-Za-z0-9_-]{12}$/;

/** A new stream's name. */
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

/** The events of one stream and its head. Whoever holds the lease is the only writer. */
export class StreamLog {
  readonly #core: Core;
  readonly id: string;
  readonly partition: string;
  /** Sequence number of the next event; the first is 1, priming is 0. */
  next: number;
  #version: number;
  readonly #now: () => number;

  constructor(core: Core, sessionPartition: string, id: string, now: () => number, next = 1, version = 0) {
    this.#core = core;
    this.id = id;
    this.partition = `e#${sessionPartition.slice(2)}#${id}`;
    this.#now = now;
    this.next = next;
    this.#version = version;
  }

  /** The stream as it is stored; `undefined` when there is none. */
  static async read(core: Core, sessionPartition: string, id: string, now: () => number) {
    const log = new StreamLog(core, sessionPartition, id, now);
    const row = await storeOf(core).get({ partition: log.partition, sort: HEAD });
    const text = row && (await unpackText(core.settings.spill, row));
    if (!row || text === undefined) return undefined;
    const head = JSON.parse(text) as StreamHead;
    log.next = head.next;
    log.#version = row.version;
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
   * Stores messages under their numbers, before they are written anywhere.
   *
   * @throws StreamLost when somebody else wrote there, TooLargeToStore
   */
  async append(messages: readonly string[], first = this.next): Promise<void> {
    const { spill, store } = this.#core.settings;
    let sequence = first;
    for (const group of split(messages)) {
      const row: Row = {
        partition: this.partition,
        sort: pad(sequence),
        version: 1,
        ttl: this.#ttl(),
        data: await packText(spill, group.join('\n')),
      };
      if (!(await store?.put(row, 'absent'))) throw new StreamLost();
      sequence += group.length;
    }
  }

  /** Saves the head if nobody else has since it was read. */
  async save(head: StreamHead): Promise<boolean> {
    const { spill } = this.#core.settings;
    const row: Row = {
      partition: this.partition,
      sort: HEAD,
      version: this.#version + 1,
      ttl: this.#ttl(),
      data: await packText(spill, JSON.stringify(head)),
    };
    const saved = await storeOf(this.#core).put(row, this.#version === 0 ? 'absent' : { version: this.#version });
    if (saved) this.#version += 1;
    return saved;
  }

  /** Stored messages from a sequence number on, in order, up to a gap. */
  async readFrom(sequence: number): Promise<string[]> {
    const messages: string[] = [];
    let after = pad(Math.max(0, sequence - MAX_EVENTS_A_ROW));
    for (;;) {
      const rows = await storeOf(this.#core).list(this.partition, after, PAGE_ROWS);
      for (const row of rows) {
        const first = Number(row.sort);
        const expected = sequence + messages.length;
        const text = first <= expected ? await unpackText(this.#core.settings.spill, row) : undefined;
        if (text === undefined) return messages;
        messages.push(...text.split('\n').slice(expected - first));
      }
      const last = rows.at(-1);
      if (!last || rows.length < PAGE_ROWS) return messages;
      after = last.sort;
    }
  }

  #ttl(): number {
    return toTtl(this.#now() + STREAM_TTL_MS);
  }
}

function pad(sequence: number): string {
  return String(sequence).padStart(10, '0');
}

/** Groups of messages that fit into a row each, as lines: JSON text holds no line break. One that is too large stands alone. */
function split(messages: readonly string[]): string[][] {
  const groups: string[][] = [];
  let bytes = 0;
  for (const json of messages) {
    const size = Buffer.byteLength(json, 'utf8');
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

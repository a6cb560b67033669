import { isPassing } from '@sallyport/core/internal';
import { type McpRequest, nowMs } from '../../http/internal/transport.js';
import type { Question, RecordedAnswer } from '../../run/internal/record.js';
import type { HandlerRun } from '../../run/internal/run.js';
import type { HeldNote, StreamLog } from './stream-log.js';

/** Milliseconds before the first check for an answer. A program answers immediately, a user after many seconds. */
const FIRST_LOOK_MS = 50;
const LAST_LOOK_MS = 2000;
/** Milliseconds before the deadline at which a call is parked at the latest, so that its state can still be stored. */
const SAFETY_MS = 3000;
/** Milliseconds in which a call is parked. */
const PARKING_MS = 1000;

interface Open {
  readonly question: Question;
  readonly isReturned: boolean;
  readonly settle: (answer: RecordedAnswer | undefined) => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Questions on the open stream of a call. Their answers are stored by the requests that receive them, and the run reads them. A question
 * without an answer after `holdMs` parks the call, together with all its open questions.
 */
export class HeldQuestions {
  readonly #log: StreamLog;
  readonly #run: HandlerRun;
  readonly #http: McpRequest;
  readonly #holdMs: number;
  readonly #open = new Map<string, Open>();
  readonly #sent = new Set<string>();
  /** Epoch milliseconds at which the call is parked. */
  #until = 0;
  #wait = FIRST_LOOK_MS;
  #parks = false;

  constructor(log: StreamLog, run: HandlerRun, http: McpRequest, holdMs: number) {
    this.#log = log;
    this.#run = run;
    this.#http = http;
    this.#holdMs = holdMs;
  }

  /** Epoch milliseconds at which the open questions are answered or parked; 0 without an open question. */
  get busyUntil(): number {
    return this.#open.size > 0 ? this.#until + PARKING_MS : 0;
  }

  /** True if the client has received the question. */
  isSent(key: string): boolean {
    return this.#sent.has(key);
  }

  /**
   * Sends a question and waits for its answer; `undefined` if the call is to be parked.
   *
   * @param isReturned true for a question that the handler returned: it can use the key again in the next round
   */
  ask(question: Question, text: string, isReturned: boolean): Promise<RecordedAnswer | undefined> {
    const now = nowMs(this.#http.clock);
    const until = Math.min(now + this.#holdMs, this.#http.deadline - SAFETY_MS);
    if (this.#parks || now >= until) return Promise.resolve(undefined);
    this.#sent.add(question.key);
    this.#run.sendNow(text);
    this.#wait = FIRST_LOOK_MS;
    const isFirst = this.#open.size === 0;
    const answered = new Promise<RecordedAnswer | undefined>((settle, fail) => {
      this.#open.set(question.key, { question, isReturned, settle, fail });
    });
    if (isFirst) {
      this.#until = until;
      void this.#look();
    }
    return answered;
  }

  /** Reads the store at intervals while questions are open. */
  async #look(): Promise<void> {
    const { clock } = this.#http;
    try {
      while (this.#open.size > 0 && !this.#run.isOver) {
        const wait = Math.min(this.#wait, Math.max(this.#until - nowMs(clock), 0));
        this.#wait = Math.min(this.#wait * 1.5, LAST_LOOK_MS);
        await new Promise<void>((resolve) => clock.after(wait, resolve));
        if (this.#run.isOver) return;
        await Promise.all([...this.#open.values()].map((open) => this.#read(open)));
        if (this.#open.size > 0 && nowMs(clock) >= this.#until) await this.#park();
      }
    } catch (error) {
      for (const { fail } of this.#open.values()) fail(error);
      this.#open.clear();
    }
  }

  async #read(open: Open): Promise<void> {
    const { key } = open.question;
    // A transient failure of the store does not end a call that waits for an answer.
    const note = await this.#run.track(this.#log.readNote(key)).catch((error: unknown) => {
      if (isPassing(error)) return undefined;
      throw error;
    });
    if (note === undefined || !this.#open.delete(key)) return;
    if (open.isReturned) await this.#run.track(this.#log.removeNote(key));
    open.settle(toRecorded(open.question, note));
  }

  /** Parks the call. A conditional write of the mark fails for a question whose answer is already in the store. */
  async #park(): Promise<void> {
    this.#parks = true;
    const ended = await Promise.all(
      [...this.#open.values()].map(async (open) => {
        const { key } = open.question;
        const isParked = await this.#run.track(this.#log.putNote(key, { parked: true }));
        return { open, note: isParked ? undefined : await this.#log.readNote(key) };
      }),
    );
    this.#open.clear();
    // In one turn, so that the paused run has all open questions.
    for (const { open, note } of ended) open.settle(note && toRecorded(open.question, note));
  }
}

function toRecorded({ digest }: Question, { value, large }: HeldNote): RecordedAnswer {
  if (large) return { digest, large };
  return value === undefined ? { digest } : { digest, value };
}

import { setTimeout as wait } from 'node:timers/promises';
import { type FullClock, systemClock } from '@sallyport/core';
import type { Deliver, Delivery } from './deliver.js';
import type { LetterFilter } from './filter.js';
import type { Journal } from './journal.js';
import { type DeadLetter, toDeadLetter } from './letters.js';
import type { FailureQueue, Queues } from './queues.js';

/** The result for a dead letter. */
export type Action =
  /** It was accepted by its destination, and deleted here. */
  | 'sent'
  /** A dry run would send it. */
  | 'would-send'
  /** An earlier run had sent it: it was only deleted. */
  | 'deleted'
  /** It is kept: the filter or the limit excludes it. */
  | 'excluded'
  /** It is kept, because it cannot be sent. */
  | 'kept'
  /** The function failed again: it is kept, and the run stops. */
  | 'failed'
  /** It was sent in this run, and has returned: it is kept, and the run stops. */
  | 'returned';

/** One line of the report. */
export interface Step {
  readonly action: Action;
  readonly letter: DeadLetter;
  /** The reason why it is kept. */
  readonly why?: string;
  /** The id of the message that was sent. */
  readonly newId?: string | undefined;
}

/** The settings of a run. */
export interface RedriveSettings {
  readonly filter: LetterFilter;
  /** Messages a second. */
  readonly rate: number;
  /** The largest number of messages to send. */
  readonly limit: number;
  /** Seconds to watch for returning messages after the last one is sent. */
  readonly watchSeconds: number;
  /** The destination of messages that do not name their own. */
  readonly to?: string | undefined;
  /** The reason why no handler receives a dead letter; `undefined` if one does. */
  readonly unhandled: (letter: DeadLetter) => string | undefined;
  /** Stops the run between two messages. */
  readonly signal: AbortSignal;
  readonly report: (step: Step) => void;
  /** The clock of the time for which messages are hidden. Default: the system's clock. */
  readonly clock?: FullClock;
}

/** Numbers of a run. */
export interface RedriveResult {
  readonly counts: Readonly<Record<Action, number>>;
  /** `complete`, or why the run ended early. */
  readonly end: 'complete' | 'failed-again' | 'interrupted';
}

/** Time for which a received message is hidden: after a kill, the next run sees it after this time. */
const HIDDEN_SECONDS = 120;
/** While a function runs, its message is hidden again at this interval. */
const HIDE_EVERY_MS = 40_000;

/** A run over a failure queue. Without a journal it is a dry run. */
export class Redrive {
  readonly #queue: FailureQueue;
  readonly #queues: Queues;
  readonly #deliver: Deliver;
  readonly #journal: Journal | undefined;
  readonly #settings: RedriveSettings;
  /** Received messages that are still in the queue; visible again at the end. */
  readonly #held = new Map<string, DeadLetter['message']>();
  /** Groups with a kept message: a later message must not overtake it. */
  readonly #blocked = new Set<string>();
  readonly #targets = new Set<string>();
  readonly #counts: Record<Action, number> = {
    ...{ sent: 0, 'would-send': 0, deleted: 0, excluded: 0, kept: 0, failed: 0, returned: 0 },
  };

  constructor(
    queue: FailureQueue,
    queues: Queues,
    deliver: Deliver,
    journal: Journal | undefined,
    settings: RedriveSettings,
  ) {
    this.#queue = queue;
    this.#queues = queues;
    this.#deliver = deliver;
    this.#journal = journal;
    this.#settings = settings;
  }

  /** Runs to the end of the queue, to the first message that fails again, or to a signal. An error of AWS rejects, and the next run resumes. */
  async run(): Promise<RedriveResult> {
    try {
      const end = (await this.#all()) ?? (await this.#watch()) ?? 'complete';
      return { counts: this.#counts, end };
    } finally {
      await this.#release();
    }
  }

  async #all(): Promise<RedriveResult['end'] | undefined> {
    for (;;) {
      if (this.#settings.signal.aborted) return 'interrupted';
      const letters = await this.#receive();
      if (letters.length === 0) return undefined;
      for (const letter of letters) {
        if (this.#settings.signal.aborted) return 'interrupted';
        const action = await this.#step(letter);
        if (action === 'failed' || action === 'returned') return 'failed-again';
      }
      if (this.#sentCount() >= this.#settings.limit) return undefined;
    }
  }

  /** The next messages that this run has not received; those of a shard in the order of their records. */
  async #receive(): Promise<readonly DeadLetter[]> {
    const messages = await this.#queue.receive(HIDDEN_SECONDS);
    const fresh = messages.filter(({ MessageId = '' }) => !this.#held.has(MessageId));
    for (const message of messages) this.#held.set(message.MessageId ?? '', message);
    return fresh.map((message) => toDeadLetter(message, this.#settings.to)).sort(byPosition);
  }

  async #step(letter: DeadLetter): Promise<Action> {
    const { id, group } = letter;
    const { filter, limit, unhandled, rate, signal } = this.#settings;
    const journal = this.#journal;
    if (journal?.hasReturned(id)) return this.#keep(letter, 'returned', 'it failed again');
    if (journal?.wasSent(id)) return this.#delete(letter, 'deleted');
    if (group !== '' && this.#blocked.has(group)) {
      return this.#keep(letter, 'excluded', 'an earlier message of its group is kept');
    }
    if (!filter(letter)) return this.#keep(letter, 'excluded', 'the filter does not match');
    if (this.#sentCount() >= limit) return this.#keep(letter, 'excluded', 'the limit is reached');
    const why = letter.destination.kind === 'none' ? letter.destination.why : unhandled(letter);
    if (why !== undefined) return this.#keep(letter, 'kept', why);
    if (!journal) return this.#keep(letter, 'would-send');
    if (this.#sentCount() > 0) await wait(1000 / rate, undefined, { signal }).catch(() => {});
    const delivery = await this.#send(letter, journal);
    if (delivery.kind === 'accepted') {
      journal.sent(id, delivery.id);
      if (letter.destination.kind === 'queue') this.#targets.add(letter.destination.arn);
      return this.#delete(letter, 'sent', delivery.id);
    }
    const problem = delivery.kind === 'failed' ? delivery.reason : delivery.why;
    journal.failed(id, problem);
    return this.#keep(letter, delivery.kind, problem);
  }

  /** Sends a message. A function can run for longer than the message is hidden: then the time is extended. */
  async #send(letter: DeadLetter, journal: Journal): Promise<Delivery> {
    if (letter.destination.kind === 'queue') {
      journal.sending(letter.id);
      return this.#deliver(letter);
    }
    const { clock = systemClock } = this.#settings;
    let isOver = false;
    const hide = async () => {
      const until = new Date(clock.now().getTime() + HIDDEN_SECONDS * 1000);
      await this.#queue.hide(letter.message, HIDDEN_SECONDS);
      if (!isOver) journal.sending(letter.id, until);
    };
    await hide();
    let hidden: Promise<unknown> = Promise.resolve();
    let cancel = () => {};
    const hideAgain = () => {
      cancel = clock.after(HIDE_EVERY_MS, () => {
        // After a failure the message is still hidden for the rest of its time.
        hidden = hide().catch(() => {});
        hideAgain();
      });
    };
    hideAgain();
    try {
      return await this.#deliver(letter);
    } finally {
      isOver = true;
      cancel();
      // The message becomes visible or is deleted next: an extension must not follow.
      await hidden;
    }
  }

  #sentCount(): number {
    return this.#counts.sent + this.#counts['would-send'];
  }

  #keep(letter: DeadLetter, action: Action, why?: string): Action {
    if (letter.group !== '' && action !== 'would-send') this.#blocked.add(letter.group);
    return this.#done({ action, letter, ...(why !== undefined && { why }) });
  }

  async #delete(letter: DeadLetter, action: Action, newId?: string): Promise<Action> {
    await this.#queue.delete(letter.message);
    this.#journal?.deleted(letter.id);
    this.#held.delete(letter.id);
    return this.#done({ action, letter, newId });
  }

  #done(step: Step): Action {
    this.#counts[step.action] += 1;
    this.#settings.report(step);
    return step.action;
  }

  /** Waits until the source queues are empty, and watches for messages that return. */
  async #watch(): Promise<RedriveResult['end'] | undefined> {
    const journal = this.#journal;
    if (!journal || this.#targets.size === 0) return undefined;
    const { watchSeconds, signal } = this.#settings;
    let quiet = 0;
    // One reception waits up to a second.
    for (let second = 0; second < watchSeconds && quiet < 2; second += 1) {
      if (signal.aborted) return 'interrupted';
      for (const letter of await this.#receive()) {
        if (journal.hasReturned(letter.id)) {
          this.#keep(letter, 'returned', 'it failed again');
          return 'failed-again';
        }
      }
      const waiting = await Promise.all([...this.#targets].map((arn) => this.#queues.counts(arn)));
      quiet = waiting.every(({ visible, hidden }) => visible + hidden === 0) ? quiet + 1 : 0;
    }
    return undefined;
  }

  /** Makes kept messages visible. If that fails, they become visible when their time ends. */
  async #release(): Promise<void> {
    for (const message of this.#held.values()) await this.#queue.hide(message, 0).catch(() => {});
  }
}

function byPosition({ destination: a }: DeadLetter, { destination: b }: DeadLetter): number {
  if (a.kind !== 'records' || b.kind !== 'records' || a.batch.shardId !== b.batch.shardId) return 0;
  return BigInt(a.batch.first) < BigInt(b.batch.first) ? -1 : 1;
}

import { randomUUID } from 'node:crypto';
import type { FullClock } from '@sallyport/core';
import type { QueueRecordOptions } from '@sallyport/testkit/events';

/** A message in a queue without a handler: a dead-letter queue, or a queue of another service. */
export interface StoredMessage {
  readonly id: string;
  readonly record: QueueRecordOptions;
  /** `''` in a standard queue. */
  readonly group: string;
  received: number;
  /** A time of the clock's `monotonicMs`; the message can be received from then on. */
  visibleAt: number;
  /** Receipt handle of the latest reception; `''` before the first reception. */
  receipt: string;
}

/** Messages that clients receive and delete with the API. */
export class StoredQueue {
  readonly #clock: FullClock;
  readonly #messages: StoredMessage[] = [];
  readonly #waiting = new Set<() => void>();

  constructor(clock: FullClock) {
    this.#clock = clock;
  }

  get messages(): readonly StoredMessage[] {
    return this.#messages;
  }

  /** True if a message can be received now. */
  isVisible(message: StoredMessage): boolean {
    return message.visibleAt <= this.#clock.monotonicMs();
  }

  add(id: string, record: QueueRecordOptions): void {
    const group = record.groupId ?? '';
    const visibleAt = this.#clock.monotonicMs();
    this.#messages.push({ id, record, group, received: 0, visibleAt, receipt: '' });
    for (const wake of this.#waiting) wake();
  }

  /** Receives at most `most` messages, and hides them. A FIFO group with a hidden message returns no message. */
  take(most: number, hiddenMs: number, isFifo: boolean): readonly StoredMessage[] {
    const hidden = new Set(this.#messages.filter((message) => !this.isVisible(message)).map(({ group }) => group));
    const free = (message: StoredMessage) => this.isVisible(message) && !(isFifo && hidden.has(message.group));
    const taken = this.#messages.filter(free).slice(0, most);
    for (const message of taken) {
      message.received += 1;
      message.visibleAt = this.#clock.monotonicMs() + hiddenMs;
      message.receipt = randomUUID();
    }
    return taken;
  }

  /** Resolves when a message is added or becomes visible, and after `ms` at the latest. */
  changed(ms: number): Promise<void> {
    const now = this.#clock.monotonicMs();
    const next = Math.min(
      ...this.#messages.filter(({ visibleAt }) => visibleAt > now).map(({ visibleAt }) => visibleAt),
    );
    return new Promise((resolve) => {
      const wake = () => {
        cancel();
        this.#waiting.delete(wake);
        resolve();
      };
      const cancel = this.#clock.after(Math.min(ms, Math.max(0, next - now)), wake);
      this.#waiting.add(wake);
    });
  }

  /** @returns true if a message has this receipt */
  delete(receipt: string): boolean {
    return this.#remove((message) => message.receipt === receipt) !== undefined;
  }

  /** Removes a message by its id. */
  remove(id: string): StoredMessage | undefined {
    return this.#remove((message) => message.id === id);
  }

  /** @returns true if a message has this receipt */
  hide(receipt: string, ms: number): boolean {
    const message = this.#messages.find((each) => each.receipt === receipt);
    if (message) message.visibleAt = this.#clock.monotonicMs() + ms;
    if (message && ms === 0) for (const wake of this.#waiting) wake();
    return message !== undefined;
  }

  clear(): readonly StoredMessage[] {
    return this.#messages.splice(0);
  }

  #remove(matches: (message: StoredMessage) => boolean): StoredMessage | undefined {
    const index = this.#messages.findIndex(matches);
    return index < 0 ? undefined : this.#messages.splice(index, 1)[0];
  }
}

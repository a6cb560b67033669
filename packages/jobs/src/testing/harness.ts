import { randomUUID } from 'node:crypto';
import type { Clock } from '@sallyport/core';
import { SettableClock } from '@sallyport/core/testing';
import type { EventBusStore } from '../event-bus/event-bus.js';
import type { JobLedger } from '../ledger/ledger.js';

/** Creates the ledgers for the suite. All ledgers of one harness share their rows. */
export interface JobLedgerHarness {
  /** A ledger with this clock. */
  create(options: { readonly clock: Clock }): Promise<JobLedger>;
}

/** Creates the event stores for the suite. All stores of one harness share their rows. */
export interface EventBusHarness {
  /** An event store with this clock. */
  create(options: { readonly clock: Clock }): Promise<EventBusStore>;
}

/** One behaviour that every implementation must show. */
export interface ConformanceCase {
  /** The behaviour, as a sentence. */
  readonly name: string;
  /** Throws an `AssertionError` if the behaviour differs. */
  run(): Promise<void>;
}

/** 2023-11-14T22:13:20.000Z, in Unix milliseconds. */
const START_MS = 1_700_000_000_000;

/** The argument of a case. */
export interface Bench<S> {
  readonly clock: SettableClock;
  readonly subject: S;
  /** An id that no other case uses. */
  id(name?: string): string;
  /** A ledger or store over the same rows, whose clock differs by the given time. */
  skewed(ms: number): Promise<S>;
}

export interface CaseDefinition<S> {
  readonly name: string;
  run(bench: Bench<S>): Promise<void>;
}

export function toCases<S>(
  harness: { create(options: { readonly clock: Clock }): Promise<S> },
  definitions: readonly CaseDefinition<S>[],
): readonly ConformanceCase[] {
  return definitions.map(({ name, run }) => ({
    name,
    async run() {
      const clock = new SettableClock(START_MS);
      const unique = randomUUID();
      await run({
        clock,
        subject: await harness.create({ clock }),
        id: (part = 'x') => `${part}-${unique}`,
        skewed: (ms) => harness.create({ clock: { now: () => new Date(clock.now().getTime() + ms) } }),
      });
    },
  }));
}

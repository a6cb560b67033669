import { idempotentHandler, type JobLedger, withLease } from '@sallyport/jobs';
import type { SecureApp } from '@sallyport/secure';
import { type EventContext, payload, scheduledSummary, type TableStreamRecord } from '@sallyport/streams';
import * as z from 'zod';
import type { NoteStore } from './notes.js';

/** The events that the service has received; the demo and the tests read it. */
export interface Journal {
  readonly reminders: string[];
  readonly orders: string[];
  readonly payments: number[];
  readonly changes: string[];
  readonly clicks: string[];
  readonly notices: string[];
  readonly uploads: string[];
}

export function createJournal(): Journal {
  return { reminders: [], orders: [], payments: [], changes: [], clicks: [], notices: [], uploads: [] };
}

const Click = z.object({ path: z.string() });
const Reminder = z.object({ noteId: z.string() });
const Payment = z.object({ amount: z.number() });
const Order = z.object({ id: z.string() });
const NoteKeys = z.object({ id: z.string() });
const Announcement = z.object({ text: z.string() });
const InvoicePaid = z.object({ invoice: z.string() });

/** Queues, streams, topics and buses. If a handler throws, its record is reported, and AWS delivers it again. */
export function registerEvents(app: SecureApp, notes: NoteStore, journal: Journal, ledger: JobLedger): void {
  registerQueues(app, journal, ledger);
  app.tableStream(
    'notes',
    payload(
      NoteKeys,
      (_ctx, { id }, record: TableStreamRecord) => void journal.changes.push(`${record.eventName} ${id}`),
      {
        of: 'keys',
      },
    ),
  );
  app.kinesis(
    'clicks',
    payload(Click, (_ctx, { path }) => void journal.clicks.push(path)),
  );
  app.topic(
    'announcements',
    payload(Announcement, (_ctx, { text }) => {
      journal.notices.push(text);
      return { read: true };
    }),
  );
  app.eventBus(
    { source: 'billing', detailType: 'InvoicePaid' },
    payload(InvoicePaid, (_ctx, { invoice }) => ({ paid: invoice })),
  );
  // Two instances may receive the same scheduled event; only the instance that acquires the lease works.
  app.eventBus({ ruleName: 'nightly-cleanup' }, (ctx, event) =>
    withLease(ledger, { name: 'nightly-cleanup' }, async () =>
      scheduledSummary(event, ctx, { processed: (await notes.list(100)).length, failed: 0 }),
    ),
  );
}

function registerQueues(app: SecureApp, journal: Journal, ledger: JobLedger): void {
  app.queue(
    'reminders',
    payload(Reminder, (_ctx, { noteId }) => void journal.reminders.push(noteId)),
  );
  app.queue(
    'ledger.fifo',
    payload(Payment, (_ctx, { amount }) => void journal.payments.push(amount)),
  );
  // An order that is delivered twice is fulfilled once.
  app.queue(
    'orders',
    payload(
      Order,
      idempotentHandler(ledger, { key: (_ctx, { id }) => id }, (_ctx: EventContext, { id }: z.infer<typeof Order>) => {
        journal.orders.push(id);
      }),
    ),
  );
}

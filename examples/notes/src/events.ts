import { idempotentHandler, type JobLedger, withLease } from '@sallyport/jobs';
import type { SecureApp } from '@sallyport/secure';
import { type EventContext, payload, type QueueRecord, scheduledSummary } from '@sallyport/streams';
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

/** Queues, streams, topics and buses. If a handler throws, its record is reported, and AWS delivers it again. */
export function registerEvents(app: SecureApp, notes: NoteStore, journal: Journal, ledger: JobLedger): void {
  registerQueues(app, journal, ledger);
  app.tableStream('notes', (_ctx, record) => {
    journal.changes.push(`${record.eventName} ${record.dynamodb?.Keys?.id?.S}`);
  });
  app.kinesis(
    'clicks',
    payload(Click, (_ctx, { path }) => void journal.clicks.push(path)),
  );
  app.topic('announcements', (_ctx, record) => {
    journal.notices.push(record.Sns.Message);
    return { read: true };
  });
  app.eventBus({ source: 'billing', detailType: 'InvoicePaid' }, (_ctx, event) => {
    const { invoice } = event.detail as { invoice: string };
    return { paid: invoice };
  });
  // Two instances may receive the same scheduled event; only the instance that acquires the lease works.
  app.eventBus({ ruleName: 'nightly-cleanup' }, (ctx, event) =>
    withLease(ledger, { name: 'nightly-cleanup' }, async () =>
      scheduledSummary(event, ctx, { processed: notes.list(100).length, failed: 0 }),
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
    idempotentHandler(
      ledger,
      { key: (_ctx, message) => orderOf(message).id },
      (_ctx: EventContext, message: QueueRecord) => {
        journal.orders.push(orderOf(message).id);
      },
    ),
  );
}

function orderOf(message: QueueRecord): { readonly id: string } {
  return JSON.parse(message.body) as { id: string };
}

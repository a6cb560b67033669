import { setTimeout as wait } from 'node:timers/promises';
import { isPrinted } from '../differences/record.js';
import type { RunningHost } from '../host/create-host.js';
import { hasEndedBadly } from '../journal/failure.js';
import type { Failure } from '../journal/failure-record.js';
import type { InvocationRecord } from '../journal/journal.js';
import type { SendResult } from '../send/send.js';
import { findType } from '../sources/source-types.js';
import type { TestResult } from './compare.js';
import type { TestCase } from './test-file.js';

/** Sends the event of a test to the service of a run. Waits of sources are skipped, so retries are immediate. */
export async function sendLocally(host: RunningHost, { send, timeoutMs }: TestCase): Promise<TestResult> {
  const isSource = findType(send.kind) !== undefined && send.caller === undefined && send.alias === undefined;
  const sent = await host.sender.send(send);
  if (isSource) return settled(host, send.kind, send.target ?? '', sent, AbortSignal.timeout(timeoutMs));
  const [first] = sent.invocations;
  if (!first) return {};
  const { outcome, client } = first;
  return {
    ...(outcome.ok ? { answer: outcome.answer } : { error: outcome.error }),
    ...(client && { client }),
    requestId: outcome.requestId,
    differences: topicsOf(host.journal.get(outcome.id)),
    failures: await failuresOf(host, outcome.id),
  };
}

/** Log lines of a failure arrive at most this many milliseconds after the response. */
const LATE_LINES_MS = 100;

/** The failures of an invocation; empty after a success. */
async function failuresOf({ journal }: RunningHost, id: number): Promise<readonly Failure[]> {
  const record = journal.get(id);
  if (!record || !hasEndedBadly(record)) return [];
  await wait(LATE_LINES_MS);
  return journal.get(id)?.failures ?? [];
}

function topicsOf(record: InvocationRecord | undefined): readonly string[] {
  return record?.differences.filter((one) => isPrinted(one) && one.topic !== 'retry').map(({ topic }) => topic) ?? [];
}

/** Resolves when the source has released the records of a request. */
async function settled(
  host: RunningHost,
  kind: string,
  name: string,
  { recordIds }: SendResult,
  limit: AbortSignal,
): Promise<TestResult> {
  const isOwn = ({ id }: { readonly id: string }) => recordIds.includes(id);
  const view = () => host.sources.list().find((source) => source.kind === kind && source.name === name);
  await new Promise<void>((resolve, reject) => {
    const look = () => {
      const open = view()?.records.filter(isOwn) ?? [];
      if (open.length === 0) return end(resolve);
      for (const { id, until } of open) if (until !== null) host.sources.act(kind, name, 'now', id);
    };
    const end = (finish: () => void) => {
      stop();
      limit.removeEventListener('abort', late);
      finish();
    };
    const late = () => end(() => reject(new Error(`the ${kind} "${name}" has not released its records in time`)));
    // Each change of a source is a note, published after the change.
    const stop = host.journal.subscribe((change) => {
      if (change.type === 'note' && change.note.topic === 'sources') setImmediate(look);
    });
    limit.addEventListener('abort', late, { once: true });
    look();
  });
  const isDead = (view()?.deadLetters ?? []).some(isOwn);
  const last = host.journal.list().findLast(({ origin }) => origin.recordIds?.some((id) => recordIds.includes(id)));
  return {
    records: isDead ? 'dead-letter' : 'done',
    differences: topicsOf(last),
    failures: isDead && last ? await failuresOf(host, last.id) : [],
    ...(last?.answer !== undefined && { answer: last.answer }),
  };
}

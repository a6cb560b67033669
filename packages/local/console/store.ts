import { computed, signal } from '@preact/signals';
import type { ConsoleEvent, Inventory, InvocationRow, RunState } from '../src/internal/console/api.js';
import type { SourceView } from '../src/internal/sources/sources.js';
import { CallError, call, readEvents } from './api.js';

/** Maximum number of rows; the host keeps as many. */
const MAX_ROWS = 1000;
const RECONNECT_MS = 1000;
const FLUSH_MS = 100;

/** The state of the host, updated by the stream of events. */
export const connection = signal<'connecting' | 'open' | 'lost' | 'refused'>('connecting');
export const rows = signal<ReadonlyMap<number, InvocationRow>>(new Map());
export const run = signal<RunState | undefined>(undefined);
export const inventory = signal<Inventory | undefined>(undefined);
export const sources = signal<readonly SourceView[]>([]);
/** Counts changes of tables and buckets. */
export const stateVersion = signal(0);

/** The newest first. */
export const newest = computed(() => [...rows.value.values()].sort((a, b) => b.id - a.id));

/** The result of the last action, for the line that screen readers announce. */
export const status = signal('');

/** The error of the last action, until the next action or another view. */
export const failed = signal('');

/** The time now in milliseconds, for countdowns. */
export const now = signal(Date.now());

function say(text: string): void {
  status.value = text;
}

/** Runs an action and shows its result. */
export async function attempt<T>(what: string, action: () => Promise<T>): Promise<T | undefined> {
  try {
    const value = await action();
    failed.value = '';
    if (what !== '') say(what);
    return value;
  } catch (error) {
    say('');
    failed.value = messageOf(error);
    return undefined;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/^framework: /, '') : String(error);
}

let pending: InvocationRow[] = [];

function take(row: InvocationRow): void {
  if (pending.length === 0) setTimeout(flush, FLUSH_MS);
  pending.push(row);
}

/** All changes in this time update the list once. */
function flush(): void {
  const next = new Map(rows.value);
  for (const row of pending) next.set(row.id, row);
  pending = [];
  // Rows arrive in order: the first keys are the oldest.
  for (const id of next.keys()) {
    if (next.size <= MAX_ROWS) break;
    next.delete(id);
  }
  rows.value = next;
}

/** Runs at most once per interval, and once after the last request. */
export function calm(action: () => void, ms: number): () => void {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    setTimeout(() => {
      isDue = false;
      action();
    }, ms);
  };
}

const readSources = calm(() => void call('GET /api/sources').then((value) => (sources.value = value), lost), 50);
const readRun = calm(() => void call('GET /api/state').then((value) => (run.value = value), lost), 50);
const readInventory = calm(() => void call('GET /api/inventory').then((value) => (inventory.value = value), lost), 50);

export function refresh(): void {
  readSources();
  readRun();
  readInventory();
}

function lost(): void {
  if (connection.value === 'open') connection.value = 'lost';
}

function onEvent(event: ConsoleEvent): void {
  if (event.type === 'record') {
    take(event.record);
    if (event.record.changes.length > 0) readSources();
  } else if (event.type === 'ready') {
    connection.value = 'open';
    refresh();
  } else if (event.note.topic === 'sources') readSources();
  else if (event.note.topic === 'state') stateVersion.value += 1;
  else refresh();
}

/** Listens forever; connects again when the host is restarted. */
export async function listen(): Promise<void> {
  for (;;) {
    try {
      await readEvents(onEvent, new AbortController().signal);
      connection.value = 'lost';
    } catch (error) {
      connection.value = error instanceof CallError && error.status === 401 ? 'refused' : 'lost';
      if (connection.value === 'refused') return;
    }
    await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
    rows.value = new Map();
  }
}

/** Updates `now` while a countdown is shown. */
export function startClock(): void {
  setInterval(() => {
    const waits = sources.value.some((source) => source.records.some(({ until }) => until !== null));
    const runs = newest.value.some(({ status: is }) => is === 'running' || is === 'waiting');
    if (waits || runs) now.value = Date.now();
  }, 250);
}

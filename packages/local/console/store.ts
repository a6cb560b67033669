import { signal } from '@preact/signals';
import type { ConsoleEvent, Inventory, RunState } from '../src/internal/console/api.js';
import type { SourceView } from '../src/internal/sources/sources.js';
import { CallError, call, readEvents } from './api.js';
import { newest, position, takePosition, takeRow } from './rows.js';

export { newest } from './rows.js';

const RECONNECT_MS = 1000;
/** A change of the run is shown soon; many changes are shown together. */
const READ_MS = 50;
const READ_AGAIN_MS = 500;

/** The state of the host, updated by the stream of events. */
export const connection = signal<'connecting' | 'open' | 'lost' | 'refused'>('connecting');
export const run = signal<RunState | undefined>(undefined);
export const inventory = signal<Inventory | undefined>(undefined);
export const sources = signal<readonly SourceView[]>([]);
/** Counts changes of executions. */
export const executionsVersion = signal(0);
/** Counts changes of tables and buckets. */
export const stateVersion = signal(0);

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

/** Runs soon after the first request, and after later ones at most once per interval. */
function soonAndCalm(action: () => void): () => void {
  let ranAt = 0;
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    const wait = Math.max(READ_MS, ranAt + READ_AGAIN_MS - Date.now());
    setTimeout(() => {
      isDue = false;
      ranAt = Date.now();
      action();
    }, wait);
  };
}

const readSources = soonAndCalm(() => void call('GET /api/sources').then((value) => (sources.value = value), lost));
const readRun = soonAndCalm(() => void call('GET /api/state').then((value) => (run.value = value), lost));
const readInventory = soonAndCalm(
  () => void call('GET /api/inventory').then((value) => (inventory.value = value), lost),
);

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
    takeRow(event.record);
    if (event.record.changes.length > 0) readSources();
  } else if (event.type === 'ready') {
    takePosition(event);
    connection.value = 'open';
    refresh();
  } else if (event.type === 'at') takePosition(event);
  else if (event.note.topic === 'sources') readSources();
  else if (event.note.topic === 'state') stateVersion.value += 1;
  else if (event.note.topic === 'executions') executionsVersion.value += 1;
  else if (event.note.topic === 'environments') readRun();
  else refresh();
}

/** A page that was hidden for this time connects again when it is shown: its connection can be dead without an error. */
const HIDDEN_MS = 5_000;

/** Listens forever; connects again when the host is restarted, and after a sleep, and gets the changes since then. */
export async function listen(): Promise<void> {
  let controller = new AbortController();
  let hiddenAt = 0;
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) hiddenAt = Date.now();
    else if (Date.now() - hiddenAt > HIDDEN_MS) controller.abort();
  });
  for (;;) {
    controller = new AbortController();
    try {
      await readEvents(onEvent, controller.signal, position.value.cursor);
      connection.value = 'lost';
    } catch (error) {
      if (error instanceof CallError && error.status === 401) {
        connection.value = 'refused';
        return;
      }
      if (controller.signal.aborted) continue;
      connection.value = 'lost';
    }
    await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
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

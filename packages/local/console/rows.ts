import { batch, computed, signal } from '@preact/signals';
import type { InvocationRow, Position } from '../src/internal/console/api.js';
import { call } from './api.js';

/** The newest rows are always known; older ones are read when they are shown. */
const RECENT = 1000;
const MAX_KNOWN = 3000;
/** Changes in this time update the page once. */
const FLUSH_MS = 200;
/** Rows that become visible in this time are read together. */
const READ_MS = 30;

const known = new Map<number, InvocationRow>();
/** Numbers that the host did not have when they were read. */
const absent = new Set<number>();
const version = signal(0);

/** The numbers of the kept invocations, and the cursor of the stream. */
export const position = signal<Position>({ cursor: '', oldest: 1, last: 0 });

/** The number of kept invocations. */
export const count = computed(() => position.value.last - position.value.oldest + 1);

/** At most the newest 1,000 invocations, the newest first. */
export const newest = computed(() => {
  const { oldest, last } = position.value;
  const first = Math.max(oldest, last - RECENT + 1);
  const found: InvocationRow[] = [];
  if (version.value < 0) return found;
  for (let id = last; id >= first; id -= 1) {
    const row = known.get(id);
    if (row) found.push(row);
  }
  return found;
});

/** The row of an invocation; `undefined` until it is read, `null` if it is no longer kept. */
export function rowOf(id: number): InvocationRow | null | undefined {
  if (version.value < 0) return undefined;
  const row = known.get(id);
  if (row) return row;
  const { oldest, last } = position.value;
  if (absent.has(id) || id < oldest || id > last) return null;
  need(id);
  return undefined;
}

let needed = new Set<number>();

function need(id: number): void {
  if (needed.size === 0) setTimeout(() => void readNeeded(), READ_MS);
  needed.add(id);
}

async function readNeeded(): Promise<void> {
  const ids = [...needed];
  needed = new Set();
  const rows = await call('GET /api/invocations', { query: { ids: ids.join(',') } }).catch(() => undefined);
  if (!rows) return;
  for (const row of rows) known.set(row.id, row);
  for (const id of ids) if (!known.has(id)) absent.add(id);
  version.value += 1;
}

let pending = new Map<number, InvocationRow>();
let pendingPosition: Position | undefined;
let isPlanned = false;

/** A row of the stream. */
export function takeRow(row: InvocationRow): void {
  pending.set(row.id, row);
  plan();
}

/** The end of a batch of the stream. */
export function takePosition({ cursor, oldest, last }: Position): void {
  pendingPosition = { cursor, oldest, last };
  plan();
}

function plan(): void {
  if (isPlanned) return;
  isPlanned = true;
  setTimeout(flush, FLUSH_MS);
}

function flush(): void {
  isPlanned = false;
  for (const [id, row] of pending) known.set(id, row);
  const hasRows = pending.size > 0;
  pending = new Map();
  batch(() => {
    if (hasRows) version.value += 1;
    if (pendingPosition) position.value = pendingPosition;
  });
  const { oldest, last } = position.value;
  if (known.size > MAX_KNOWN)
    for (const id of [...known.keys()]) if (id <= last - RECENT || id > last) known.delete(id);
  for (const id of absent) if (id < oldest) absent.delete(id);
}

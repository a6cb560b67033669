import { readFileSync } from 'node:fs';
import type { RunningHost } from '../../src/internal/host/create-host.js';
import type { InvocationRecord } from '../../src/internal/journal/journal.js';

/** Resolves when a record of the journal matches: the last output of a process can arrive after its response. */
export function shows(
  host: RunningHost,
  id: number,
  isAsWanted: (record: InvocationRecord) => boolean,
): Promise<InvocationRecord> {
  return new Promise((resolve) => {
    const look = () => {
      const record = host.journal.get(id);
      if (!record || !isAsWanted(record)) return false;
      resolve(record);
      return true;
    };
    if (look()) return;
    const end = host.journal.subscribe(() => {
      if (look()) end();
    });
  });
}

/** Resolves when a process is stopped, as `/proc` reports; immediately if `/proc` does not exist. */
export async function isStopped(pid: number): Promise<void> {
  if (process.platform !== 'linux') return;
  // The state is the first word after the name, which is in brackets.
  const state = () => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0];
  while (state() !== 'T') await new Promise((resolve) => setTimeout(resolve, 10));
}

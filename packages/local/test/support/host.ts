import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@sallyport/core/testing';
import type { Config } from '../../src/internal/config/config.js';
import type { Host } from '../../src/internal/host/host.js';
import type { Inspection, TriggerView } from '../../src/internal/inspect/inspection.js';
import type { JournalNote, StateChange } from '../../src/internal/journal/journal.js';
import type { InvokeOptions } from '../../src/internal/runtime/invoker.js';

/** The keys of every test. */
export const KEYS = { accessKeyId: 'THE-KEY-OF-A-RUN', secretAccessKey: 'a secret of this test' };

/** The test's function: returns the response to an event, or throws. */
export type TestFunction = (event: never, options: InvokeOptions) => unknown;

export interface TestHost extends Host {
  readonly clock: ManualClock;
  /** Every invocation, in order. */
  readonly invocations: { readonly event: never; readonly options: InvokeOptions }[];
  readonly notices: string[];
  readonly changes: StateChange[];
  readonly notes: JournalNote[];
  /** Completes a build with these registrations. */
  reload(triggers: readonly TriggerView[], isOurs?: boolean): void;
  /** Runs all due timers, and the callbacks that follow. */
  settleTurns(): Promise<void>;
  remove(): void;
}

/** A registration of the function. */
export function trigger(kind: string, name: string, selector?: Readonly<Record<string, string>>): TriggerView {
  return { kind, name, options: {}, ...(selector && { selector }) };
}

const NOTHING = { queues: {}, streams: {}, tableStreams: {}, topics: {}, buses: {}, schedules: {} };

/** A run without a runtime: the function is a function of the test. */
export function createTestHost(
  run: TestFunction,
  {
    triggers = [],
    config = {},
    ...members
  }: { triggers?: readonly TriggerView[]; config?: Partial<Config> } & Partial<Omit<Host, 'config'>> = {},
): TestHost {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-local-'));
  const clock = new ManualClock(new Date('2026-11-22T10:00:00Z'));
  const listeners = new Set<(inspection: Inspection) => void>();
  const inspectionOf = (all: readonly TriggerView[], isOurs: boolean): Inspection => ({
    isOurs,
    routes: [],
    triggers: all,
    mcp: [],
    streaming: false,
    explain: async () => null,
    openapi: async () => null,
    contract: async () => [],
  });
  let inspection = inspectionOf(triggers, true);
  const host = {
    config: {
      folder,
      entry: join(folder, 'src/lambda.ts'),
      stateFolder: join(folder, '.sallyport'),
      name: 'notes',
      speed: 1,
      reveal: false,
      state: true,
      aws: [],
      manifest: undefined,
      sources: { ...NOTHING },
      tables: [],
      buckets: [],
      values: {},
      env: {},
      audiences: [],
      ...(config as object),
    } as unknown as Config,
    clock,
    keys: KEYS,
    ports: {},
    invocations: [] as TestHost['invocations'],
    notices: [] as string[],
    changes: [] as StateChange[],
    notes: [] as JournalNote[],
    inspection: () => inspection,
    onInspection(listener: (inspection: Inspection) => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    notice: (text: string) => void host.notices.push(text),
    journal: {
      append: (_id: number, list: string, entry: StateChange) => void (list === 'changes' && host.changes.push(entry)),
      note: (note: JournalNote) => void host.notes.push(note),
      idByTrace: () => undefined,
    },
    invoker: {
      async invoke(event: never, options: InvokeOptions) {
        host.invocations.push({ event, options });
        const shared = { id: host.invocations.length, requestId: `r-${host.invocations.length}` };
        try {
          return { ok: true, ...shared, streamed: false, answer: await run(event, options) };
        } catch (error) {
          const { name, message } = error as Error;
          return { ok: false, ...shared, reason: 'handler', error: { errorType: name, errorMessage: message } };
        }
      },
    },
    reload(all: readonly TriggerView[], isOurs = true) {
      inspection = inspectionOf(all, isOurs);
      for (const listener of listeners) listener(inspection);
    },
    async settleTurns() {
      for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
    ...members,
  };
  return host as unknown as TestHost;
}

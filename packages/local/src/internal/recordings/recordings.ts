import { FrameworkError, type LambdaContext } from '@sallyport/core';
import { sanitizeJson, sanitizeValue } from '@sallyport/core/observability';
import { createRecorder, loadRecording, type RecordedEvents, type Recording } from '@sallyport/testkit/recorder';
import type { RecordingView, ReplayRequest, ReplayResult, SavedRecording } from '../console/api.js';
import type { Host } from '../host/host.js';
import { cleanText, shownOutcome } from '../journal/cleaner.js';
import type { InvocationRecord } from '../journal/journal.js';
import { findDifferences } from './differences.js';
import { createRecordingFiles } from './files.js';

/** Saves events of invocations, and plays them again. */
export interface Recordings {
  list(): Promise<readonly RecordingView[]>;
  /** @throws FrameworkError `local.not_found` */
  read(file: string): Promise<SavedRecording>;
  /** @throws FrameworkError `local.not_found`; `local.invalid_request` for an event of no kind. @returns the file */
  save(id: number, as: 'recording' | 'fixture'): Promise<string>;
  /** @throws FrameworkError `local.not_found`; `testkit.invalid_recording` */
  replay(request: ReplayRequest): Promise<ReplayResult>;
}

/** What a replay sends, and what it is compared with. */
interface Again {
  readonly event: unknown;
  readonly target: string;
  readonly kind: string;
  readonly replayOf?: number;
  /** Sanitized; absent when there was none. */
  readonly before?: { readonly answer: unknown };
}

/** Makes the recordings of a run, in the folder `recordings` of its state. */
export function createRecordings(host: Host, folder: string): Recordings {
  const files = createRecordingFiles(folder);

  const recordOf = (id: number): InvocationRecord => {
    const record = host.journal.get(id);
    if (!record) throw new FrameworkError('local.not_found', `framework: invocation ${id} is not kept any more`);
    return record;
  };

  const fromRecord = (id: number): Again => {
    const record = recordOf(id);
    const { target } = record.origin;
    return { event: host.journal.rawEvent(id), target, kind: record.origin.kind, replayOf: id, ...answerOf(record) };
  };

  const fromFile = ({ recording, answer }: SavedRecording): Again => {
    const { kind } = recording as Recording;
    const event = loadRecording(recording, kind as keyof RecordedEvents);
    return { event, target: kind, kind: 'replay', ...(answer !== undefined && { before: { answer } }) };
  };

  return {
    list: files.list,
    read: files.read,
    async save(id, as) {
      const record = recordOf(id);
      const recording = await toRecording(host, id);
      const answer = answerOf(record).before?.answer;
      const name = `${recording.recorded_at.slice(0, 19).replaceAll(/[^\d]/g, '')}-${recording.kind}-${id}`;
      if (as === 'fixture') return files.saveFixture(name, toFixture(name, recording, answer));
      return files.save(name, { recording, ...(answer !== undefined && { answer }) });
    },
    async replay({ id, file, recording }) {
      const again =
        id !== undefined ? fromRecord(id) : fromFile(file === undefined ? toSaved(recording) : await files.read(file));
      const { replayOf, before, target } = again;
      const origin = { kind: 'replay', target, ...(replayOf !== undefined && { replayOf }) };
      const outcome = await host.invoker.invoke(again.event, { origin, whenBusy: 'refuse' });
      const now = outcome.ok ? toClean(outcome.answer, outcome.requestId) : undefined;
      const differences = before && outcome.ok ? findDifferences(before.answer, now) : null;
      return { outcome: shownOutcome(host.journal, outcome), differences };
    },
  };
}

/** A recording as the commands send it: alone, or with its answer. */
function toSaved(value: unknown): SavedRecording {
  const given = value as Partial<SavedRecording> | null | undefined;
  return given?.recording === undefined ? { recording: value } : (given as SavedRecording);
}

function answerOf({ answer, error, ms, requestId }: InvocationRecord): Pick<Again, 'before'> {
  return answer === undefined || error !== null || ms === null
    ? {}
    : { before: { answer: toClean(answer, requestId) } };
}

/** The sanitized answer as JSON has it. The id of its invocation is another one each time, and so is no difference. */
function toClean(value: unknown, requestId: string): unknown {
  return cleanText(
    JSON.parse(sanitizeJson(JSON.stringify(value ?? null).replaceAll(requestId, 'request-id'))) as unknown,
  );
}

/** The event as the recorder of the test kit keeps it, secrets and identifiers replaced. Names that have a handler stay. */
async function toRecording(host: Host, id: number): Promise<Recording> {
  let made: Recording | undefined;
  const keepNames = host
    .inspection()
    .triggers.map(({ name }) => name)
    .filter((name) => name !== '');
  const recorder = createRecorder({
    sample: 1,
    maxBytes: Number.MAX_SAFE_INTEGER,
    keepNames,
    clock: host.clock,
    write(recording) {
      made = recording;
    },
  });
  const context: LambdaContext = { getRemainingTimeInMillis: () => host.config.timeoutMs };
  await recorder.wrap(async () => null)(host.journal.rawEvent(id), context);
  if (!made)
    throw new FrameworkError(
      'local.invalid_request',
      'framework: an event of no kind cannot be recorded; `explain` says why it has none',
    );
  return made;
}

/** A contract fixture to complete: its handlers are for the author, the event and the answer are there. */
function toFixture(name: string, { event }: Recording, answer: unknown): object {
  return {
    id: `recorded/${name}`,
    area: 'recorded',
    name: `the answer to ${name} stays as it was recorded`,
    setup: { container: 'secure', register: [] },
    input: { steps: [{ call: 'dispatch', event }] },
    expect: { steps: [answer === undefined ? {} : { result: sanitizeValue(answer) }] },
  };
}

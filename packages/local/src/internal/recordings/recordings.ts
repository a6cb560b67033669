import { FrameworkError, type LambdaContext } from '@sallyport/core';
import { sanitizeJson, sanitizeValue } from '@sallyport/core/observability';
import { createRecorder, loadRecording, type RecordedEvents, type Recording } from '@sallyport/testkit/recorder';
import type { RecordingView, ReplayRequest, ReplayResult, SavedRecording } from '../console/api.js';
import type { RunBase } from '../host/base.js';
import type { FunctionAccess } from '../host/host.js';
import { cleanText, shownOutcome } from '../journal/cleaner.js';
import type { InvocationRecord } from '../journal/journal.js';
import { findDifferences } from './differences.js';
import { createRecordingFiles } from './files.js';

/** Saves events of invocations, and replays them. */
export interface Recordings {
  list(): Promise<readonly RecordingView[]>;
  /** @throws FrameworkError `local.not_found` */
  read(file: string): Promise<SavedRecording>;
  /** @throws FrameworkError `local.not_found`; `local.invalid_request` for an event of an unknown kind. @returns the file */
  save(id: number, as: 'recording' | 'fixture'): Promise<string>;
  /** @throws FrameworkError `local.not_found`; `testkit.invalid_recording` */
  replay(request: ReplayRequest): Promise<ReplayResult>;
}

/** The event of a replay, and the response to compare with. */
interface Again {
  readonly event: unknown;
  readonly target: string;
  readonly kind: string;
  readonly replayOf?: number;
  /** The invoked alias; absent for the default of the run. */
  readonly alias?: string;
  /** Sanitized; absent if no response was recorded. */
  readonly before?: { readonly answer: unknown };
}

/** Creates the recordings of a run, in the folder `recordings` of its state. */
export function createRecordings(host: RunBase & FunctionAccess, folder: string): Recordings {
  const files = createRecordingFiles(folder);

  const recordOf = (id: number): InvocationRecord => {
    const record = host.journal.get(id);
    if (!record) throw new FrameworkError('local.not_found', `framework: invocation ${id} is no longer kept`);
    return record;
  };

  const fromRecord = (id: number): Again => {
    const record = recordOf(id);
    const { target, kind, alias } = record.origin;
    const invoked = alias === undefined ? {} : { alias };
    return { event: host.journal.rawEvent(id), target, kind, replayOf: id, ...invoked, ...answerOf(record) };
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
      const { event, kind: _kind, before, ...rest } = again;
      const origin = { ...rest, kind: 'replay' };
      const outcome = await host.invoker.invoke(event, { origin, whenBusy: 'refuse' });
      const now = outcome.ok ? toClean(outcome.answer, outcome.requestId) : undefined;
      const differences = before && outcome.ok ? findDifferences(before.answer, now) : null;
      return { outcome: shownOutcome(host.journal, outcome), differences };
    },
  };
}

/** A recording in the form that the commands send: alone, or with its response. */
function toSaved(value: unknown): SavedRecording {
  const given = value as Partial<SavedRecording> | null | undefined;
  return given?.recording === undefined ? { recording: value } : (given as SavedRecording);
}

function answerOf({ answer, error, ms, requestId }: InvocationRecord): Pick<Again, 'before'> {
  return answer === undefined || error !== null || ms === null
    ? {}
    : { before: { answer: toClean(answer, requestId) } };
}

/** The sanitized response as JSON. The request id is replaced, because it differs for each invocation. */
export function toClean(value: unknown, requestId: string): unknown {
  const json = JSON.stringify(value ?? null);
  return cleanText(
    JSON.parse(sanitizeJson(requestId === '' ? json : json.replaceAll(requestId, 'request-id'))) as unknown,
  );
}

/** The event in the form of the test kit's recorder, with secrets and identifiers replaced. Names that have a handler are kept. */
async function toRecording(host: RunBase & FunctionAccess, id: number): Promise<Recording> {
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
      'framework: an event of an unknown kind cannot be recorded; `explain` shows why no kind matches',
    );
  return made;
}

/** A contract fixture to complete: it has the event and the response, the author adds the handlers. */
function toFixture(name: string, { event }: Recording, answer: unknown): object {
  return {
    id: `recorded/${name}`,
    area: 'recorded',
    name: `the response to ${name} is unchanged`,
    setup: { container: 'secure', register: [] },
    input: { steps: [{ call: 'dispatch', event }] },
    expect: { steps: [answer === undefined ? {} : { result: sanitizeValue(answer) }] },
  };
}

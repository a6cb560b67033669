import { computed, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { RecordingView, ReplayResult } from '../../src/internal/console/api.js';
import { call } from '../api.js';
import { useKeys } from '../keys.js';
import { Json } from '../parts/json.js';
import { Action, Empty, Mark } from '../parts/small.js';
import { neighbour } from '../parts/view.js';
import { go, selected } from '../route.js';
import { attempt } from '../store.js';

const recordings = signal<readonly RecordingView[]>([]);
const content = signal<{ readonly file: string; readonly value: unknown } | undefined>(undefined);
const results = signal<Readonly<Record<string, ReplayResult>>>({});

const files = computed(() => recordings.value.map(({ file }) => file));
const current = computed(() => files.value.find((file) => file === selected.value) ?? files.value[0] ?? '');

function step(by: number): void {
  const next = neighbour(files.value, current.value, by);
  if (next !== undefined) go('recordings', next);
}

function read(): void {
  void attempt('', async () => {
    recordings.value = await call('GET /api/recordings');
  });
}

/** Saved events. A replay sends an event again and compares the response with the recorded response. */
export function RecordingsView() {
  useEffect(read, []);
  useKeys([
    { key: 'j', does: 'Next recording', run: () => step(1) },
    { key: 'k', does: 'Previous recording', run: () => step(-1) },
    { key: 'r', does: 'Replay the recording', run: () => replay(current.value) },
    { key: 'l', does: 'Show or hide it', run: () => look(current.value) },
    { key: 'u', does: 'Read again', run: read },
  ]);
  return (
    <div class="page">
      <div class="bar">
        <h2>
          Recordings <span class="quiet">{files.value.length}</span>
        </h2>
        <Action label="Read again" shortcut="u" onClick={read} />
      </div>
      <p class="quiet">
        A recording has no secrets: ids, names and addresses are replaced. Save one from an invocation with the key w.
      </p>
      {files.value.length === 0 && <Empty>No recordings yet. Select an invocation and press w to save it.</Empty>}
      <ul class="records">
        {recordings.value.map((recording) => (
          <Recording key={recording.file} recording={recording} isCurrent={recording.file === current.value} />
        ))}
      </ul>
    </div>
  );
}

function Recording({ recording, isCurrent }: { readonly recording: RecordingView; readonly isCurrent: boolean }) {
  const { file, kind, recordedAt } = recording;
  const result = results.value[file];
  return (
    <li class={isCurrent ? 'record card current' : 'record card'}>
      <div class="bar">
        <code class="grow">{file}</code>
        <span>{kind}</span>
        <span class="quiet">{recordedAt.slice(0, 19).replace('T', ' ')}</span>
        <Action label="Replay" of={file} shortcut="r" primary={isCurrent} onClick={() => replay(file)} />
        <Action label="Look" of={file} shortcut="l" onClick={() => look(file)} />
      </div>
      {result && <Result result={result} />}
      {content.value?.file === file && <Json label={`Recording ${file}`} value={content.value.value} />}
    </li>
  );
}

function Result({ result: { outcome, differences } }: { readonly result: ReplayResult }) {
  return (
    <p>
      <a href={`#/invocations/${outcome.id}`}>#{outcome.id}</a>{' '}
      {!outcome.ok && <Mark tone="bad">{outcome.error.errorType}</Mark>}{' '}
      {differences === null ? (
        'No recorded response to compare with.'
      ) : differences.length === 0 ? (
        <Mark tone="good">the same response</Mark>
      ) : (
        <>
          <Mark tone="warn">another answer</Mark> {differences.join(', ')}
        </>
      )}
    </p>
  );
}

function replay(file: string): void {
  if (file === '') return;
  void attempt(`Replayed ${file}`, async () => {
    const result = await call('POST /api/replay', { body: { file } });
    results.value = { ...results.value, [file]: result };
  });
}

function look(file: string): void {
  if (file === '') return;
  if (content.value?.file === file) {
    content.value = undefined;
    return;
  }
  void attempt('', async () => {
    content.value = { file, value: await call('GET /api/recordings/{file}', { params: { file } }) };
  });
}

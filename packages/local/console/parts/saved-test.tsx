import { signal } from '@preact/signals';
import { call } from '../api.js';
import { attempt } from '../store.js';
import { Place } from './place.js';

/** The last saved test, shown with its invocation. */
const saved = signal<{ readonly id: number; readonly file: string } | undefined>(undefined);

/** Writes a test that sends the event of an invocation into the test folder of the service. */
export function saveTest(id: number): void {
  void attempt('', async () => {
    const { file } = await call('POST /api/tests', { body: { id } });
    saved.value = { id, file };
    void attempt(`Saved ${file}`, async () => {});
  });
}

/** The file of the last saved test, if it is from one of these invocations. */
export function SavedTest({ of }: { readonly of: readonly number[] }) {
  if (!saved.value || !of.includes(saved.value.id)) return null;
  const { id, file } = saved.value;
  return (
    <p class="note">
      The test of #{id} is in <Place file={file} line={1} column={1} />
    </p>
  );
}

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FrameworkError } from '@sallyport/core';
import type { RecordingView, SavedRecording } from '../console/api.js';

/** The name of a file with the sanitized event of an invocation and, if any, its sanitized response. */
const RECORDING = /^[\w-]+\.recording\.json$/;
const FIXTURE = '.fixture.json';

/** The files with recordings and fixtures of a project. */
export interface RecordingFiles {
  list(): Promise<readonly RecordingView[]>;
  /** @throws FrameworkError `local.not_found` */
  read(file: string): Promise<SavedRecording>;
  /** @returns the name of the new file */
  save(name: string, saved: SavedRecording): Promise<string>;
  /** @returns the name of the new file */
  saveFixture(name: string, fixture: object): Promise<string>;
}

/** The recordings and fixtures in a folder, which is created with the first file. */
export function createRecordingFiles(folder: string): RecordingFiles {
  const write = async (file: string, value: object) => {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, file), `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
    return file;
  };
  const read = async (file: string): Promise<SavedRecording> => {
    const text = RECORDING.test(file) ? await readFile(join(folder, file), 'utf8').catch(() => undefined) : undefined;
    if (text === undefined)
      throw new FrameworkError('local.not_found', `framework: the recording ${JSON.stringify(file)} does not exist`);
    return parse(file, text);
  };
  return {
    read,
    async list() {
      const files = await readdir(folder).catch(() => []);
      const saved = files.filter((file) => RECORDING.test(file)).sort();
      return Promise.all(saved.map(async (file) => toView(file, await read(file))));
    },
    save: (name, saved) => write(`${name}.recording.json`, saved),
    saveFixture: (name, fixture) => write(name + FIXTURE, fixture),
  };
}

function toView(file: string, { recording }: SavedRecording): RecordingView {
  const { kind, recorded_at } = (recording ?? {}) as { readonly kind?: unknown; readonly recorded_at?: unknown };
  return { file, kind: String(kind ?? ''), recordedAt: String(recorded_at ?? '') };
}

function parse(file: string, text: string): SavedRecording {
  try {
    return JSON.parse(text) as SavedRecording;
  } catch {
    throw new FrameworkError('local.invalid_request', `framework: the recording ${file} is not JSON`);
  }
}

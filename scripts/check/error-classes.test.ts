import { join } from 'node:path';
import { readWorkspace, sourceEntries } from './workspace.js';

const ROOT = join(import.meta.dirname, '..', '..');

type ErrorClass = new (...args: never[]) => Error;

/** The error classes that the entries of all packages export, by package and name. */
async function exportedErrors(): Promise<ReadonlyMap<string, ErrorClass>> {
  const found = new Map<string, ErrorClass>();
  for (const { folder, manifest } of readWorkspace(ROOT, ['packages'])) {
    for (const file of sourceEntries(manifest).values()) {
      const entry = (await import(join(ROOT, folder, file))) as Readonly<Record<string, unknown>>;
      for (const [name, value] of Object.entries(entry)) {
        if (isErrorClass(value)) found.set(`${folder} ${name}`, value);
      }
    }
  }
  return found;
}

function isErrorClass(value: unknown): value is ErrorClass {
  return typeof value === 'function' && value.prototype instanceof Error;
}

it('instanceof of every exported error class is true for errors of another copy of its package', async () => {
  const ours = await exportedErrors();
  import.meta.jest.resetModules();
  const theirs = await exportedErrors();
  expect([...ours.keys()]).toEqual(
    expect.arrayContaining(['packages/core FrameworkError', 'packages/ratelimit RateLimitError']),
  );
  const unknown = [...ours].flatMap(([name, type]) => {
    const other = theirs.get(name);
    if (other === undefined || other === type) return [`${name}: there is no second copy`];
    const isKnown = Object.create(other.prototype) instanceof type && Object.create(type.prototype) instanceof other;
    return isKnown ? [] : [name];
  });
  expect(unknown).toEqual([]);
  for (const type of ours.values()) expect(new Error('another') instanceof type).toBe(false);
});

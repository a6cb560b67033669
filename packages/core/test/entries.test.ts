import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = join(dirname(fileURLToPath(import.meta.url)), '..', 'src');

/** Every file that is loaded with an entry, and every module from outside that they import. */
function loadedWith(entry: string): { readonly files: string[]; readonly outside: string[] } {
  const files = new Set<string>();
  const outside = new Set<string>();
  const visit = (file: string) => {
    if (files.has(file)) return;
    files.add(file);
    const text = readFileSync(join(SOURCE, file), 'utf8');
    for (const [, clause = '', from = ''] of text.matchAll(/^(?:import|export) ([^;]*?)from '([^']+)';/gms)) {
      const names = clause
        .replace(/[{}]/g, '')
        .split(',')
        .map((name) => name.trim());
      const typesOnly = clause.startsWith('type ') || names.every((name) => name === '' || name.startsWith('type '));
      if (typesOnly) continue;
      if (from.startsWith('.')) visit(posix.join(posix.dirname(file), from).replace(/\.js$/, '.ts'));
      else outside.add(from);
    }
  };
  visit(entry);
  return { files: [...files].sort(), outside: [...outside].sort() };
}

const HEAVY =
  /sanitizer|sanitize\/(?:policy|internal)|logger|emf|notifier|xml|masks|names|metrics|async-context|manual/;

describe('what an entry loads', () => {
  it.each([
    ['index.ts', []],
    // The small ones of a container without `log`.
    [
      'internal.ts',
      [
        'observability/default-logger.ts',
        'sanitize/internal/cards.ts',
        'sanitize/internal/frame-path.ts',
        'sanitize/internal/light.ts',
        'sanitize/internal/source-frames.ts',
      ],
    ],
  ])('%s has no sanitizer, logger and sink in it but %j', (entry, expected) => {
    expect(loadedWith(entry).files.filter((file) => HEAVY.test(file))).toEqual(expected);
  });

  it.each([
    ['index.ts', []],
    ['internal.ts', []],
    ['observability.ts', []],
    ['log-adapters.ts', []],
    ['async-context.ts', ['node:async_hooks']],
    ['options.ts', []],
    ['testing.ts', []],
  ])('%s needs nothing from outside but %j', (entry, expected) => {
    expect(loadedWith(entry).outside).toEqual(expected);
  });

  it.each(['index.ts', 'internal.ts', 'observability.ts'])(
    '%s loads no AsyncLocalStorage and no test helper',
    (entry) => {
      expect(loadedWith(entry).files.filter((file) => /async-context|manual|testing/.test(file))).toEqual([]);
    },
  );
});

it('the root entry shows no internals of the pipeline and no test helper', async () => {
  const names = Object.keys(await import('../src/index.js'));
  for (const hidden of [
    'RequestContext',
    'ContextState',
    'IncomingRequest',
    'OutgoingResponse',
    'ManualClock',
    'ManualIdGenerator',
    'BOUND',
  ]) {
    expect(names).not.toContain(hidden);
  }
});

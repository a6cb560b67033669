import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createDefaultLogger } from '../src/observability/default-logger.js';
import { createLogger } from '../src/observability.js';
import { toSourceFrames } from '../src/sanitize/internal/source-frames.js';

const root = mkdtempSync(join(tmpdir(), 'source-frames-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;

/** A file in a new folder with this text as its map. */
function fileWith(map: string | object | undefined, name = 'index.js'): string {
  const folder = join(root, String(++count));
  mkdirSync(folder);
  const file = join(folder, name);
  if (map !== undefined) writeFileSync(`${file}.map`, typeof map === 'string' ? map : JSON.stringify(map));
  return file;
}

/**
 * Columns 0, 9 and 20 of line 1 are lines 1, 3 and 2 of `a.ts`, at the columns 0, 4 and 16; column 40 has no source. Line 2 has no segments; column 5 of
 * line 3 is line 1, column 2, of `b.ts`.
 */
const MAP = { version: 3, sources: ['../src/a.ts', '../src/b.ts'], names: [], mappings: 'AAAA,SAEI,WADY,oB;;KCDd' };

/** The frame of a place, with the folder of the sources cut off. */
function mapped(file: string, line: number, column: number): string {
  const [frame = ''] = toSourceFrames([`at run (${file}:${line}:${column})`]);
  return frame.replace(root, '');
}

describe('the places of stack frames', () => {
  it.each<[number, number, string]>([
    [1, 1, '/src/a.ts:1:1'],
    [1, 9, '/src/a.ts:1:1'],
    [1, 10, '/src/a.ts:3:5'],
    [1, 20, '/src/a.ts:3:5'],
    [1, 21, '/src/a.ts:2:17'],
    [1, 40, '/src/a.ts:2:17'],
    [3, 6, '/src/b.ts:1:3'],
    [3, 9999999, '/src/b.ts:1:3'],
  ])('line %i, column %i is in the source at %s', (line, column, place) => {
    expect(mapped(fileWith(MAP), line, column)).toBe(`at run (${place})`);
  });

  it.each<[string, number, number]>([
    ['a place without source', 1, 41],
    ['a line without segments', 2, 1],
    ['a place before the first segment of its line', 3, 5],
    ['a line after the map', 4, 1],
  ])('keeps %s', (_name, line, column) => {
    const file = fileWith(MAP);
    expect(mapped(file, line, column)).toBe(`at run (${file.replace(root, '')}:${line}:${column})`);
  });

  it('finds all frames of a stack, in any order, in several files', () => {
    const file = fileWith(MAP);
    const module = pathToFileURL(fileWith({ ...MAP, sources: ['src/grün%20%23.ts', 'b.ts'] }, 'a b.mjs')).href;
    const frames = [
      `at async Promise.all (index 0)`,
      `at Shop.pay [as run] (${file}:3:6)`,
      `at async ${module}:1:1`,
      `at new Order (${module}:3:7)`,
      `at async ${file}:1:10`,
      'at node:internal/process/task_queues:103:5',
      'at Array.map (<anonymous>)',
      `at eval (eval at run (${file}:1:1), <anonymous>:1:1)`,
      `at ${file}:1:30`,
    ];
    expect(toSourceFrames(frames).map((frame) => frame.replaceAll(root, '/app'))).toEqual([
      'at async Promise.all (index 0)',
      'at Shop.pay [as run] (/app/src/b.ts:1:3)',
      `at async /app/${count}/src/grün #.ts:1:1`,
      `at new Order (/app/${count}/b.ts:1:3)`,
      'at async /app/src/a.ts:3:5',
      'at node:internal/process/task_queues:103:5',
      'at Array.map (<anonymous>)',
      `at eval (eval at run (/app/${count - 1}/index.js:1:1), <anonymous>:1:1)`,
      'at /app/src/a.ts:2:17',
    ]);
  });

  it.each<[string, string | object | undefined]>([
    ['missing', undefined],
    ['empty', ''],
    ['no JSON', '{"mappings":'],
    ['null', 'null'],
    ['without mappings', { version: 3, sources: ['a.ts'] }],
    ['without sources', { version: 3, mappings: 'AAAA' }],
    ['of sections', { version: 3, sections: [{ offset: { line: 0, column: 0 }, map: MAP }] }],
    ['of a source that it does not list', { ...MAP, sources: [] }],
    ['of a source that is not a string', { ...MAP, sources: [null, null] }],
    ['of a source that is not an address', { ...MAP, sources: ['http://', 'http://'] }],
    ['of characters that are not digits', { ...MAP, mappings: '\u0000\u2028,!!!!,\u{1f600}' }],
    ['of a number without end', { ...MAP, mappings: 'gggggggggggggggggggggggg' }],
  ])('are kept if the map is %s', (_name, map) => {
    const frame = `at run (${fileWith(map)}:1:1)`;
    expect(toSourceFrames([frame])).toEqual([frame]);
  });

  it('are kept if the map is larger than 8 MiB, or a folder', () => {
    const large = fileWith(JSON.stringify(MAP).padEnd(8 * 1024 * 1024 + 1));
    const folder = fileWith(undefined);
    mkdirSync(`${folder}.map`);
    const frames = [`at ${large}:1:1`, `at ${folder}:1:1`];
    expect(toSourceFrames(frames)).toEqual(frames);
    const allowed = fileWith(JSON.stringify(MAP).padEnd(8 * 1024 * 1024));
    expect(mapped(allowed, 1, 1)).toBe('at run (/src/a.ts:1:1)');
  });

  it('are read once: a map that appears later, or that disappears, changes no known place', () => {
    const file = fileWith(undefined);
    const frame = `at ${file}:1:1`;
    expect(toSourceFrames([frame])).toEqual([frame]);
    writeFileSync(`${file}.map`, JSON.stringify(MAP));
    expect(toSourceFrames([frame])).toEqual([frame]);
    const [other = ''] = toSourceFrames([`at ${file}:1:10`]);
    rmSync(`${file}.map`);
    expect(toSourceFrames([`at ${file}:1:10`])).toEqual([other]);
    expect(other).toMatch(/\/src\/a\.ts:3:5$/);
  });

  it('are written by both loggers, also for causes', () => {
    const file = fileWith(MAP);
    const cause = Object.assign(new Error('inner'), { stack: `Error: inner\n    at ${file}:1:10` });
    const error = Object.assign(new Error('outer', { cause }), { stack: `Error: outer\n    at run (${file}:3:6)` });
    const lines: string[] = [];
    createDefaultLogger({}, (line) => lines.push(line)).error('failed', { error });
    createLogger({ write: (line) => lines.push(line) }).error('failed', { error });
    for (const line of lines) {
      expect(JSON.parse(line.replaceAll(root, ''))).toMatchObject({
        error: { stack: ['at run (/src/b.ts:1:3)'], cause: { stack: ['at /src/a.ts:3:5'] } },
      });
    }
    expect(lines).toHaveLength(2);
  });
});

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Schema, Validator } from '@cfworker/json-schema';
import {
  type Contract,
  type ContractRuntime,
  type DoneMessage,
  type JsonObject,
  loadContract,
  PROTOCOL,
  type Validate,
} from '../src/index.js';

const REPOSITORY = new URL('../../../contract-fixtures/', import.meta.url);

/** The schema and the handlers of the real contract, for folders that a test creates. */
const CATALOG = Object.fromEntries(
  ['fixture.schema.json', 'handlers.json'].map((name) => [name, readFileSync(new URL(name, REPOSITORY), 'utf8')]),
);

export const validate: Validate = (schema, value) =>
  new Validator(schema as Schema, '2020-12').validate(value).valid ? [] : ['does not fit the schema'];

/** A folder of fixtures that lives as long as a test. */
export function makeFolder(files: Readonly<Record<string, unknown>>): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'contract-'));
  for (const [path, content] of Object.entries({ ...CATALOG, ...files })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return { folder, remove: () => rmSync(folder, { recursive: true }) };
}

/** A contract of the given fixtures and files. */
export function makeContract(files: Readonly<Record<string, unknown>>): Contract {
  const { folder, remove } = makeFolder(files);
  try {
    return loadContract(folder, validate);
  } finally {
    remove();
  }
}

export function requirement(sentence: string): JsonObject {
  return { sentence, source: 'spec: Limits' };
}

/** A fixture with one step, a `detect` call without an event. */
export function fixture(
  id: string,
  expect: JsonObject = { steps: [{ result: 'queue' }] },
  more: object = {},
): JsonObject {
  return {
    id,
    area: id.split('/', 1)[0] ?? '',
    name: 'a fixture of a test',
    setup: { container: 'none' },
    input: { steps: [{ call: 'detect', event: {} }] },
    expect,
    ...more,
  };
}

export const HELLO = {
  type: 'hello',
  protocol: PROTOCOL,
  runtime: { name: 'fake', version: '1.0.0' },
  areas: ['detection', 'doors'],
  calls: [],
  handlers: [],
} as const;

const EMPTY = { logs: [], metrics: [], spans: [], calls: [] };

/** A runtime that returns the same outcome at every step. */
export function fakeRuntime(outcome: JsonObject, more: Partial<DoneMessage> = {}): ContractRuntime {
  return {
    hello: async () => HELLO,
    run: async ({ seq, steps }) => ({
      type: 'done',
      seq,
      construction_error: null,
      steps: steps.map(() => ({ ...EMPTY, ...outcome })),
      ...more,
    }),
    bye: async () => {},
  };
}

/** Types of random schemas and samples of them: the compiler and ajv reject the same samples. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type DescribedService, toContract, toTypes } from '@sallyport/contract/service';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { createGeneratorSync } from 'json-schema-faker';

const TSC = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
/** 20, and more in the judged run: `RANDOM_SAMPLES=200 npm test -- packages/cli/test/contract/samples.test.ts`. */
const SCHEMAS = Number(process.env.RANDOM_SAMPLES ?? 20);
const EACH = 50;
const SEED = 20261129;

type Schema = Readonly<Record<string, unknown>>;
type Json = string | number | boolean | null | Json[] | { [member: string]: Json };

const name = fc.stringMatching(/^[a-z][a-zA-Z0-9]{0,5}$/);
const members = (schema: fc.Arbitrary<Schema>, least: number) =>
  fc.dictionary(name, schema, { minKeys: least, maxKeys: 4 }).chain((properties) =>
    fc.record({
      type: fc.constant('object'),
      properties: fc.constant(properties),
      required: fc.subarray(Object.keys(properties)),
    }),
  );
const STAMPED = { type: 'object', properties: { createdAt: { type: 'string' } }, required: ['createdAt'] };
const { schema } = fc.letrec<{ schema: Schema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<Schema>(
      { type: 'string' },
      { type: 'string', minLength: 2, maxLength: 9 },
      { type: 'string', format: 'uuid' },
      { type: 'integer', minimum: 1, maximum: 99 },
      { type: 'number' },
      { type: 'boolean' },
      { type: ['string', 'null'] },
      { enum: ['a', "it's", 2, null] },
      { const: true },
    ),
    tie('schema').map((items) => ({ type: 'array', items, maxItems: 3 })),
    fc
      .tuple(tie('schema'), tie('schema'))
      .map((prefixItems) => ({ type: 'array', prefixItems, minItems: 2, items: false })),
    fc.tuple(tie('schema'), tie('schema')).map((anyOf) => ({ anyOf })),
    tie('schema').map((additionalProperties) => ({ type: 'object', additionalProperties })),
    members(tie('schema'), 1),
    members(tie('schema'), 1).map((one) => ({ allOf: [one, STAMPED] })),
  ),
}));
/** A message as services state it: an object with at least one required member. */
const message = members(schema, 2).map((one): Schema => ({ ...one, required: Object.keys(one.properties) }));

const ajv = new Ajv2020({ strict: false, formats: { uuid: true } });

/** Other values of JSON for a place, and the object or list without one of its parts. */
function mutants(value: Json): Json[] {
  const others: Json[] = ['other', 7.5, false, null, ['x'], { other: 1 }];
  if (typeof value !== 'object' || value === null) return others;
  if (Array.isArray(value)) {
    const changed = value.flatMap((part, at) => mutants(part).map((mutant) => value.with(at, mutant)));
    return [...others, value.slice(1), ...changed];
  }
  const parts = Object.entries(value);
  return [
    ...others,
    ...parts.map(([key]) => Object.fromEntries(parts.filter(([other]) => other !== key))),
    ...parts.flatMap(([key, part]) => mutants(part).map((mutant) => ({ ...value, [key]: mutant }))),
  ];
}

/** The part of a schema that types can express: without bounds, whole numbers and formats. */
function typed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(typed);
  if (typeof value !== 'object' || value === null) return value === 'integer' ? 'number' : value;
  const kept = Object.entries(value).filter(([key]) => !/^(?:min|max)(?!Items)|^maxItems$|^format$/.test(key));
  return Object.fromEntries(kept.map(([key, part]) => [key, key === 'enum' || key === 'const' ? part : typed(part)]));
}

function samplesOf(
  schema: Schema,
  index: number,
): { readonly valid: readonly Json[]; readonly invalid: readonly Json[] } {
  const fits = ajv.compile(schema);
  const fitsType = ajv.compile(typed(schema) as Schema);
  const generator = createGeneratorSync({ seed: SEED + index, alwaysFakeOptionals: false, optionalsProbability: 0.6 });
  const generated = Array.from({ length: EACH }, () => generator.generate(schema) as Json);
  const valid = generated.filter((sample) => fits(sample));
  const wrong = generated.flatMap(mutants).filter((sample) => !fitsType(sample));
  return { valid, invalid: fc.sample(fc.constantFrom(...wrong), { numRuns: EACH, seed: SEED + index }) };
}

function serviceOf(schemas: readonly Schema[]): DescribedService {
  const triggers = schemas.map((json, index) => ({
    kind: 'queue',
    name: `q${index}`,
    payload: { 'schema:': { input: { json }, output: { json } } },
  }));
  return { function: 'src/lambda.ts', routes: [], triggers, sends: {} };
}

test(`${EACH} samples of each schema that ajv accepts compile, and ${EACH} that it rejects do not`, () => {
  const schemas = fc.sample(message, { numRuns: SCHEMAS, seed: SEED });
  const samples = schemas.map(samplesOf);
  for (const { valid, invalid } of samples) expect([valid.length, invalid.length]).toEqual([EACH, EACH]);
  const all = samples.flatMap(({ valid, invalid }, index) => [
    ...valid.map((sample) => ({ index, sample, accepted: true })),
    ...invalid.map((sample) => ({ index, sample, accepted: false })),
  ]);
  const lines = all.map(
    ({ index, sample }, n) => `export const s${n}: Contract['queue']['q${index}'] = ${JSON.stringify(sample)};`,
  );

  const rejected = rejectedLines(toTypes(toContract('samples', [serviceOf(schemas)])), lines);

  const wrong = all.filter(({ accepted }, n) => accepted === rejected.has(n));
  expect(wrong.slice(0, 3).map(({ index, ...one }) => JSON.stringify({ ...one, schema: schemas[index] }))).toEqual([]);
});

/** The indexes of the lines that the compiler rejects. */
function rejectedLines(types: string, lines: readonly string[]): ReadonlySet<number> {
  const folder = mkdtempSync(join(tmpdir(), 'contract-samples-'));
  try {
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, 'src/contract.d.ts'), types);
    writeFileSync(
      join(folder, 'src/samples.ts'),
      [`import type { Contract } from './contract.js';`, ...lines].join('\n'),
    );
    const compilerOptions = { strict: true, noEmit: true, module: 'nodenext', lib: ['es2023'], types: [] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }));
    const { stdout } = spawnSync(process.execPath, [TSC, '-p', folder, '--pretty', 'false'], {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 1e8,
    });
    expect(stdout).not.toMatch(/^src\/contract/m);
    return new Set([...stdout.matchAll(/^src\/samples\.ts\((\d+),/gm)].map(([, line]) => Number(line) - 2));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface Fixture {
  readonly id: string;
  readonly call: string;
  readonly event: unknown;
  readonly outcome: { readonly result?: unknown; readonly error?: { readonly message: string; readonly code: string } };
  readonly forbidden: readonly string[];
}

interface FixtureFile {
  readonly id: string;
  readonly input: { readonly steps: readonly { readonly call: string; readonly event: unknown }[] };
  readonly expect: { readonly forbidden?: readonly string[]; readonly steps: readonly Fixture['outcome'][] };
}

/** The fixtures of an area, one step each; events expanded as the runner does it. */
export function loadFixtures(area: string): Fixture[] {
  const folder = fileURLToPath(new URL(`../../../../contract-fixtures/${area}/`, import.meta.url));
  return readdirSync(folder).map((file) => {
    const { id, input, expect } = JSON.parse(readFileSync(folder + file, 'utf8'), expandRepeat) as FixtureFile;
    const [step] = input.steps;
    const [outcome] = expect.steps;
    if (!step || !outcome) throw new Error(`${id} has no step`);
    return { id, call: step.call, event: step.event, outcome, forbidden: expect.forbidden ?? [] };
  });
}

function expandRepeat(_key: string, value: unknown): unknown {
  const repeat = (value as { $repeat?: [string, number] } | null)?.$repeat;
  return repeat ? repeat[0].repeat(repeat[1]) : value;
}

/** The expectation as jest writes it: `$match` and `$open` become asymmetric matchers. */
export function toMatcher(expected: unknown): unknown {
  if (Array.isArray(expected)) return expected.map(toMatcher);
  if (typeof expected !== 'object' || expected === null) return expected;
  const { $open, $match, ...rest } = expected as Record<string, unknown>;
  if (typeof $match === 'string') return expect.stringMatching(new RegExp($match));
  const fields = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, toMatcher(value)]));
  return $open === true ? expect.objectContaining(fields) : fields;
}

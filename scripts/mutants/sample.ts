import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findMutants, type Switched } from './mutate.js';

/** A mutant of the sample with its place. */
export interface Sampled extends Switched {
  readonly package: string;
  /** From the root of the workspace. */
  readonly file: string;
}

/** Declarations of Node.js variables and generated files are not mutated. */
const LEFT_OUT = /(?:^|\/)(?:testing|generated)\/|\.(?:d|generated)\.ts$/;

/**
 * Selects `count` mutants of a package by the seed: equal seeds and sources select equal samples.
 *
 * @param root the workspace
 */
export function sampleOf(root: string, name: string, count: number, seed: number): readonly Sampled[] {
  const src = join(root, 'packages', name, 'src');
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const all = files
    .filter((file) => !LEFT_OUT.test(file))
    .sort()
    .flatMap((file) => {
      const place = `packages/${name}/src/${file}`;
      return findMutants(place, readFileSync(join(root, place), 'utf8')).map((mutant) => ({ ...mutant, file: place }));
    });
  const random = generator(seed);
  const chosen = all.map((mutant) => ({ mutant, order: random() })).sort((a, b) => a.order - b.order);
  return chosen
    .slice(0, count)
    .map(({ mutant }, index) => ({ ...mutant, package: name, id: `${name}-${seed}-${index}` }));
}

/** Numbers from 0 to 1 that follow from the seed (mulberry32). */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

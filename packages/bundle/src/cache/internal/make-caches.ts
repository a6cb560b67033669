import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ParsedOptions } from '@sallyport/core/options';
import type { BundleInventory } from '../inventory.js';
import type { START_CACHE_OPTIONS } from '../start-cache.js';
import { writeManifest } from '../verify.js';
import { renderLoader, type StartText, startTextOf, wrapApplication } from './loader.js';
import { type Maker, type MakerJob, type MakerReport, runMaker } from './run-maker.js';
import { samplesOf } from './samples.js';

type Parsed = ParsedOptions<typeof START_CACHE_OPTIONS.kinds>;

/** One cache of a bundle. */
export interface StartCache {
  /** The name of its file. */
  readonly name: string;
  /** The size of its file. */
  readonly bytes: number;
  /** The Node that made it: `v22.23.3`. */
  readonly version: string;
  /** The instruction set: `x64` or `arm64`. */
  readonly arch: string;
  /** The flags with which it was made. */
  readonly flags: readonly string[];
}

/** The `package.json` of a CommonJS bundle: the project around it may have another type. */
export const COMMONJS = '{"type":"commonjs"}\n';

/** The outcome of {@link makeStartCaches}. */
export interface MadeCaches {
  readonly caches: readonly StartCache[];
  /** Reasons why a cache could not be made, and connections that the application tried. */
  readonly problems: readonly string[];
  readonly inventory?: BundleInventory;
  readonly openapi?: unknown;
}

/**
 * Makes the caches of the bundle in a folder that contains `app.js`, and writes `app.js` in its final text and `index.js`. A cache that cannot be made is a problem in the
 * outcome, never an error: without it the function starts as it would otherwise, only slower.
 *
 * @param target the Node version of the bundle: `node22`
 */
export function makeStartCaches(folder: string, target: string, options: Parsed): MadeCaches {
  wrapApplication(folder);
  const text = startTextOf(readFileSync(join(folder, 'app.js')));
  writeFileSync(join(folder, 'index.js'), renderLoader(text));
  writeFileSync(join(folder, 'package.json'), COMMONJS);
  const made = makeWith(folder, target, options, text);
  writeManifest(folder, text.hash);
  return made;
}

/** Settings of {@link inspectBundle}. */
interface Inspection {
  readonly handler: string;
  readonly environment: Readonly<Record<string, string>>;
  /** In seconds. Default 60. */
  readonly timeout?: number;
  /** In MB. Default `[256]`. */
  readonly memory?: readonly number[];
  /** As in {@link MakerJob}. */
  readonly placeholders?: MakerJob['placeholders'];
  /** As in {@link MakerJob}. */
  readonly describes?: MakerJob['describes'];
}

/**
 * Loads a bundle and reads its registrations, without credentials and without network.
 *
 * @param entry the file that Lambda loads: `index.mjs`
 */
export function inspectBundle(
  folder: string,
  entry: string,
  { handler, environment, timeout = 60, memory = [256], placeholders, describes }: Inspection,
): MakerReport {
  const text = startTextOf(Buffer.from(''));
  const job: MakerJob = {
    folder,
    text,
    handler,
    environment,
    timeout,
    samples: [],
    writes: false,
    entry,
    placeholders,
    describes,
  };
  return runMaker({ node: process.execPath, memory: memory[0] ?? 256 }, job);
}

function makeWith(folder: string, target: string, options: Parsed, text: StartText): MadeCaches {
  const { handler, environment, events, memory, timeout } = options;
  const job: MakerJob = { folder, text, handler, environment, timeout, samples: [], writes: false };
  const inspected = runMaker({ node: process.execPath, memory: memory[0] ?? 256 }, job);
  const { inventory, openapi, error } = inspected;
  if (error !== undefined) return { caches: [], problems: [`the application does not load in the maker: ${error}`] };
  const samples =
    events?.map((event, index) => ({ label: `event ${index + 1}`, event })) ?? samplesOf(inventory ?? NONE);
  const caches: StartCache[] = [];
  const problems: string[] = refusals(inspected);
  for (const maker of makersOf(target, options)) {
    const report = runMaker(maker, { ...job, samples, writes: true });
    const problem = problemOf(maker, report, target, options);
    if (problem === undefined && report.cache) caches.push(toCache(report, report.cache));
    else if (report.cache) rmSync(join(folder, report.cache.name), { force: true });
    if (problem !== undefined) problems.push(problem);
    problems.push(...refusals(report));
  }
  const facts = { ...(inventory && { inventory }), ...(openapi !== undefined && { openapi }) };
  return { caches, problems: [...new Set(problems)], ...facts };
}

const NONE: BundleInventory = { routes: [], triggers: [] };

function makersOf(target: string, { inImage, images, node, memory, architecture }: Parsed): readonly Maker[] {
  const arch = architecture ?? (process.arch === 'arm64' ? 'arm64' : 'x64');
  if (!inImage)
    return (node ?? [process.execPath]).flatMap((one) => memory.map((size) => ({ node: one, memory: size })));
  const all = images ?? [`public.ecr.aws/lambda/nodejs:${majorOf(target)}`];
  return all.flatMap((image) => memory.map((size) => ({ image, memory: size, architecture: arch })));
}

/** The reason why the maker's result is of no use. */
function problemOf(maker: Maker, report: MakerReport, target: string, options: Parsed): string | undefined {
  const { error, version = '', arch = '' } = report;
  if (error !== undefined) return `${nameOf(maker)}: ${error}`;
  if (!version.startsWith(`v${majorOf(target)}.`))
    return `${nameOf(maker)} is ${version}, and the bundle is for ${target}`;
  const wanted = options.architecture ?? arch;
  return arch === wanted ? undefined : `${nameOf(maker)} runs on ${arch}, and the function on ${wanted}`;
}

function majorOf(target: string): string {
  return /^node(\d+)/.exec(target)?.[1] ?? '';
}

function nameOf(maker: Maker): string {
  return 'image' in maker ? maker.image : maker.node;
}

function refusals({ refused = [] }: MakerReport): string[] {
  return refused.map((what) => `the application tried ${what} while the cache was made, which was rejected`);
}

function toCache(
  { version = '', arch = '', execArgv = [] }: MakerReport,
  { name, bytes }: { name: string; bytes: number },
): StartCache {
  return { name, bytes, version, arch, flags: execArgv };
}

/**
 * Judges the estate and the templates named on the command line, in a separate process outside jest: the CDK and
 * the engine are some thousand files. Prints one JSON document.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Validations } from 'aws-cdk-lib/core';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import type { Template } from '../../support/template.js';
import { ruleNames, startEngine } from './engine.js';
import { createEstate } from './estate.js';
import { FAULTS, OWN_FAULTS } from './faults.js';
import { findWrongStatements } from './iam.js';
import { findingsIn } from './nag-report.js';
import { findFaults } from './own-checks.js';

/** The result of {@link judge}. */
export interface Verdict {
  readonly engine: readonly string[];
  readonly own: readonly string[];
  readonly iam: readonly string[];
  readonly nag: readonly string[];
  /** Rules, each with the number of planted faults and of detected faults. */
  readonly rules: Readonly<Record<string, readonly [planted: number, found: number]>>;
  /** Planted faults that our own checks did not detect. */
  readonly missed: readonly string[];
  /** Templates and lists of assets that differ between two syntheses. */
  readonly unstable: readonly string[];
  /** Resources that exist only with or only without the recommended feature flags. */
  readonly flagged: readonly string[];
}

type Files = ReadonlyMap<string, string>;

function synth(outdir: string, context: Record<string, unknown> = {}, withNag = false): Files {
  const app = new App({ outdir, analyticsReporting: false, context, builtinCloudFormationValidation: false } as object);
  createEstate(app);
  if (withNag) Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  try {
    app.synth();
  } catch (error) {
    if (!(withNag && error instanceof Error && error.message.includes('Validation failed'))) throw error;
  }
  return new Map(
    readdirSync(outdir)
      .filter((name) => name.endsWith('.json'))
      .map((name) => [name, readFileSync(join(outdir, name), 'utf8')]),
  );
}

function templateIn(files: Files, stack = 'Estate'): Template {
  return JSON.parse(files.get(`${stack}.template.json`) ?? '{}') as Template;
}

function differences(left: Files, right: Files): readonly string[] {
  const isStable = (name: string) => left.get(name) === right.get(name);
  return [...new Set([...left.keys(), ...right.keys()])].filter(
    (name) => /\.(?:template|assets)\.json$/.test(name) && !isStable(name),
  );
}

/** The types and construct paths of resources, without their logical ids: flags may change those. */
function outline(template: Template): readonly string[] {
  return Object.values(template.Resources)
    .map(
      ({ Type, Metadata }) =>
        `${Type} ${String((Metadata as Record<string, unknown> | undefined)?.['aws:cdk:path'] ?? '')}`,
    )
    .sort();
}

async function judge(): Promise<Verdict> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-judge-'));
  const require = createRequire(import.meta.url);
  const flags = require('aws-cdk-lib/recommended-feature-flags.json') as Record<string, unknown>;
  const paths = { 'aws:cdk:enable-path-metadata': true };
  const first = synth(join(folder, 'a'), paths);
  const second = synth(join(folder, 'b'), paths);
  const withFlags = synth(join(folder, 'c'), { ...flags, ...paths }, true);
  const template = templateIn(first);
  const [plain, flagged] = [outline(template), outline(templateIn(withFlags))];
  const others = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, 'utf8')) as Template);
  const templates = [template, templateIn(first, 'Edge'), templateIn(first, 'Production'), ...others];
  const engine = startEngine();
  const rules = Object.fromEntries(
    ruleNames().map((rule) => {
      const planted = FAULTS[rule] ?? [];
      const found = planted.filter((fault) => engine.validate(fault).some((line) => line.startsWith(`${rule} `)));
      return [rule, [planted.length, found.length] as const];
    }),
  );
  const verdict: Verdict = {
    engine: templates.flatMap((one) => engine.validate(one)),
    own: templates.flatMap((one) => findFaults(one)),
    iam: (await Promise.all(templates.map((one) => findWrongStatements(one)))).flat(),
    nag: findingsIn(join(folder, 'c', 'validation-report.json')),
    rules,
    missed: Object.entries(OWN_FAULTS).flatMap(([name, fault]) => (findFaults(fault).length > 0 ? [] : [name])),
    unstable: differences(first, second),
    flagged: [...plain.filter((line) => !flagged.includes(line)), ...flagged.filter((line) => !plain.includes(line))],
  };
  engine.free();
  rmSync(folder, { recursive: true });
  return verdict;
}

process.stdout.write(JSON.stringify(await judge()));

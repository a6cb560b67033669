import { dirname, resolve } from 'node:path';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { AssetHashType, DockerImage, Stack, Validations } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';
import { defineProps, flag, literalWords, many } from '../internal/props.js';
import { bundleTo } from './internal/esbuild.js';

/** Props of {@link bundleFunction}. */
export interface BundleFunctionProps {
  /** The file that exports the handler, relative to the working directory. */
  readonly entry: string;
  /**
   * Packages that are not bundled: they must be in a layer.
   *
   * @default - everything is bundled, the AWS SDK too
   */
  readonly external?: readonly string[];
  /**
   * The Node version to compile for, as an esbuild target.
   *
   * @default 'node22'
   */
  readonly target?: string;
  /**
   * Export conditions of packages, as in esbuild.
   *
   * @default - esbuild's conditions
   */
  readonly conditions?: readonly string[];
  /**
   * True if code that is loaded on first use (`import()`) is in separate files, which a cold start does not read. esbuild evaluates modules that
   * such a file shares with the entry before the entry's own modules: set `false` if an own module must run first.
   *
   * @default true
   */
  readonly splitting?: boolean;
}

/** Validators and defaults for {@link BundleFunctionProps}. */
export const BUNDLE_FUNCTION_PROPS = defineProps<BundleFunctionProps>('bundleFunction')({
  entry: literalWords('the path of a file').required(),
  external: many<string>('a list of package names', (name) => typeof name === 'string').default([]),
  target: literalWords('a target of esbuild, such as "node24"', /^node\d+(?:\.\d+)*$/).default('node22'),
  conditions: many<string>('a list of export conditions', (name) => typeof name === 'string').default([]),
  splitting: flag.default(true),
});

/**
 * Bundles an entry file with esbuild into ES modules with source maps, as the code of a function: `index.mjs`, and separate files for
 * code that is loaded on first use. Equal inputs have equal asset hashes. Nothing is bundled if the stack is not selected (`cdk deploy OtherStack`).
 *
 * The package manager is never called: esbuild is loaded from the project.
 *
 * @param scope a construct of the stack that gets the code
 * @throws ConstructError `constructs.bundling_failed` when esbuild is missing or the file does not compile
 * @example
 * const code = bundleFunction(this, { entry: 'src/lambda.ts' });
 */
export function bundleFunction(scope: IConstruct, props: BundleFunctionProps): Code {
  const parsed = BUNDLE_FUNCTION_PROPS.parse(scope, props);
  if (!Stack.of(scope).bundlingRequired) return Code.fromInline('// Not bundled: the stack is not selected.');
  const entry = resolve(parsed.entry);
  return Code.fromAsset(dirname(entry), {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // Never used: the bundle is made in this process.
      image: DockerImage.fromRegistry('none'),
      // Part of the key under which the CDK caches a bundle for other functions with the same bundle.
      environment: { bundle: JSON.stringify({ ...parsed, entry }) },
      local: {
        tryBundle(outdir) {
          const { notSplit } = bundleTo(outdir, entry, { ...parsed, scope });
          if (notSplit !== undefined) warnOfOneFile(scope, notSplit);
          return true;
        },
      },
    },
  });
}

function warnOfOneFile(scope: IConstruct, reason: string): void {
  Validations.of(scope).addWarning(
    'Sallyport::NotSplit',
    `The bundle is one file, which starts slower: with code splitting ${reason}. Change that, or state splitting: false.`,
  );
}

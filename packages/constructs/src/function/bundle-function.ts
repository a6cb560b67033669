import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import {
  type Bundle,
  type BundleWarning,
  bundleFunction as bundle,
  OPTIONAL_PARTS,
  type OptionalPart,
  type StartCacheOptions,
} from '@sallyport/bundle';
import { isFrameworkError } from '@sallyport/core';
import { isStringMap } from '@sallyport/core/internal';
import { Code, type CodeConfig, type ResourceBindOptions } from 'aws-cdk-lib/aws-lambda';
import { AssetHashType, type CfnResource, DockerImage, Stack, Validations } from 'aws-cdk-lib/core';
import type { Construct, IConstruct } from 'constructs';
import { ConstructError } from '../errors.js';
import { defineProps, flag, literal, literalWords, many } from '../internal/props.js';

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
  /**
   * False removes the source maps from the asset, which is then about 40% as large. Stacks in logs have places in the bundle.
   *
   * @default true
   */
  readonly sourceMaps?: boolean;
  /**
   * Options of `@sallyport/bundle` for a start cache: compiled code that makes the first answer faster, with all code in one file. `true` makes it
   * with AWS's image for 256 MB on this machine's architecture. A cache that cannot be made is a warning.
   *
   * @default false
   */
  readonly startCache?: boolean | StartCacheOptions;
  /**
   * Parts of the framework that are not bundled. `unused` leaves out what the application does not register, for handlers of `createApp` and
   * `SecureApp`; the application is loaded to see that.
   *
   * @default - everything is bundled
   */
  readonly leaveOut?: readonly (OptionalPart | 'unused')[];
  /**
   * False leaves out the code for developers: `explain` and OpenAPI documents.
   *
   * @default true
   */
  readonly tools?: boolean;
  /**
   * The name of the exported handler, to read its registrations with `leaveOut`.
   *
   * @default 'handler'
   */
  readonly handler?: string;
  /**
   * Variables that the application reads while it is loaded, with `leaveOut`.
   *
   * @default - none
   */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Validators and defaults for {@link BundleFunctionProps}. */
export const BUNDLE_FUNCTION_PROPS = defineProps<BundleFunctionProps>('bundleFunction')({
  entry: literalWords('the path of a file').required(),
  external: many<string>('a list of package names', (name) => typeof name === 'string').default([]),
  target: literalWords('a target of esbuild, such as "node24"', /^node\d+(?:\.\d+)*$/).default('node22'),
  conditions: many<string>('a list of export conditions', (name) => typeof name === 'string').default([]),
  splitting: flag.default(true),
  sourceMaps: flag.default(true),
  startCache: literal<boolean | StartCacheOptions>(
    'true, false or an object',
    (value) => typeof value === 'boolean' || (typeof value === 'object' && value !== null),
  ).default(false),
  leaveOut: literal<readonly (OptionalPart | 'unused')[]>(
    `a list of ${['unused', ...OPTIONAL_PARTS].join(', ')}`,
    (value) => Array.isArray(value) && value.every(isPart),
  ).default([]),
  tools: flag.default(true),
  handler: literalWords('the name of an export').default('handler'),
  environment: literal<Readonly<Record<string, string>>>('an object of strings', isStringMap).default({}),
});

function isPart(value: unknown): boolean {
  return value === 'unused' || (OPTIONAL_PARTS as readonly unknown[]).includes(value);
}

type Parsed = ReturnType<typeof BUNDLE_FUNCTION_PROPS.parse>;

/**
 * Bundles an entry file with esbuild, with source maps, as the code of a function: one CommonJS file `index.js` if nothing speaks against it, else ES
 * modules, `index.mjs`, and separate files for code that is loaded on first use. Equal inputs have equal asset hashes. Nothing is bundled if the
 * stack is not selected (`cdk deploy OtherStack`).
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
  if (parsed.startCache !== false) return bundleWithCache(scope, { ...parsed, entry });
  const key = JSON.stringify({ ...parsed, entry });
  return new BundledCode(key, (failed) =>
    Code.fromAsset(dirname(entry), {
      assetHashType: AssetHashType.OUTPUT,
      bundling: {
        // Never used: the bundle is made in this process.
        image: DockerImage.fromRegistry('none'),
        // Part of the key under which the CDK caches a bundle for other functions with the same bundle.
        environment: { bundle: key },
        local: {
          tryBundle(outdir) {
            try {
              described.set(key, bundleTo(scope, outdir, { ...parsed, entry }));
            } catch (error) {
              failed(error);
              throw error;
            }
            return true;
          },
        },
      },
    }),
  );
}

/** The properties of a bundle that constructs read. */
export type BundleFacts = Pick<Bundle, 'exports' | 'loaded'>;

/** By the key under which the CDK caches a bundle: it does not create a bundle with the same key again. */
const described = new Map<string, BundleFacts>();

const facts = new WeakMap<Code, () => BundleFacts | undefined>();

/** The properties of the bundle of {@link bundleFunction}, after the code was attached to a function; `undefined` for other code. */
export function factsOf(code: Code): BundleFacts | undefined {
  return facts.get(code)?.();
}

/** The code of a bundle. The CDK wraps an error of a bundle into an error without its code: this class throws the error itself. */
class BundledCode extends Code {
  readonly isInline = false;
  readonly #code: Code;
  #failure: unknown;

  constructor(key: string, make: (failed: (error: unknown) => void) => Code) {
    super();
    facts.set(this, () => described.get(key));
    this.#code = make((error) => {
      this.#failure = error;
    });
  }

  bind(scope: Construct): CodeConfig {
    try {
      return this.#code.bind(scope);
    } catch (error) {
      throw this.#failure ?? error;
    }
  }

  override bindToResource(resource: CfnResource, options?: ResourceBindOptions): void {
    this.#code.bindToResource(resource, options);
  }
}

/** No two caches are equal: the asset has the hash of everything else, so that a deployment replaces only functions that changed. */
function bundleWithCache(scope: IConstruct, parsed: Parsed): Code {
  const folder = newFolder();
  const startCache = parsed.startCache === true ? { inImage: true } : parsed.startCache;
  const made = bundleTo(scope, folder, { ...parsed, startCache });
  const code = Code.fromAsset(folder, { assetHashType: AssetHashType.CUSTOM, assetHash: made.assetHash });
  facts.set(code, () => made);
  return code;
}

/** Reads the properties of a bundle that is not deployed. */
export function describeEntry(scope: IConstruct, props: BundleFunctionProps): BundleFacts {
  const folder = newFolder();
  const parsed = BUNDLE_FUNCTION_PROPS.parse(scope, props);
  return bundleTo(scope, folder, { ...parsed, startCache: false, leaveOut: ['unused'] });
}

/** Bundles into a folder, with warnings at the construct. */
function bundleTo(scope: IConstruct, outdir: string, parsed: Parsed): BundleFacts & Pick<Bundle, 'assetHash'> {
  try {
    const { sourceMaps, ...settings } = parsed;
    const { warnings, assetHash, exports: exported, loaded } = bundle({ ...settings, outdir });
    if (!sourceMaps) removeMaps(outdir);
    for (const warning of warnings) warnOf(scope, warning);
    return { assetHash, exports: exported, ...(loaded && { loaded }) };
  } catch (error) {
    throw toConstructError(scope, error);
  }
}

function removeMaps(outdir: string): void {
  for (const name of readdirSync(outdir)) if (name.endsWith('.map')) rmSync(join(outdir, name));
}

/** The error of `@sallyport/bundle` with the path of a construct. */
export function toConstructError(scope: IConstruct | undefined, error: unknown): unknown {
  if (!isFrameworkError(error)) return error;
  const path = scope?.node.path ?? '';
  const at = path === '' ? '' : ` (at ${path})`;
  const code = error.code.startsWith('bundle.') ? 'constructs.bundling_failed' : 'constructs.invalid_prop';
  return new ConstructError(code, `${error.message}${at}`, path, error);
}

/** A handler without a container has nothing to leave out, so no warning is written. */
type Warned = Exclude<BundleWarning['code'], 'not_a_container'>;

const WARNINGS: Readonly<Record<Warned, readonly [id: string, text: (reason: string) => string]>> = {
  not_split: [
    'Sallyport::NotSplit',
    (reason) =>
      `The bundle is one file, which starts slower: with code splitting ${reason}. Change that, or state splitting: false.`,
  ],
  no_start_cache: ['Sallyport::NoStartCache', (reason) => `The function has no start cache: ${reason}.`],
  nothing_left_out: [
    'Sallyport::NothingLeftOut',
    (reason) => `The bundle has all parts of the framework: ${reason}. State leaveOut to choose the parts.`,
  ],
  start_cache: ['Sallyport::StartCache', (reason) => `The start cache: ${reason}.`],
};

function warnOf(scope: IConstruct, { code, reason }: BundleWarning): void {
  if (code === 'not_a_container') return;
  const [id, text] = WARNINGS[code];
  Validations.of(scope).addWarning(id, text(reason));
}

const folders: string[] = [];

/** The CDK copies an asset when it is attached to a function, so its folder is removed when the process ends. */
function newFolder(): string {
  if (folders.length === 0) {
    process.once('exit', () => {
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    });
  }
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-bundle-'));
  folders.push(folder);
  return folder;
}

import { isStringMap } from '@sallyport/core/internal';
import { boolean, defineOptions, integer, kind, list, oneOf, string, text } from '@sallyport/core/options';

/** Options of a start cache. */
export interface StartCacheOptions {
  /**
   * The memory of the function in MB, 128 to 10,240: it determines the flags of Node, and V8 rejects a cache that was made with others. Each size gets
   * a cache. Default `[256]`.
   */
  readonly memory?: readonly number[];
  /**
   * True if AWS's own Node makes the cache, in the image `public.ecr.aws/lambda/nodejs`: a deployment needs it, because another build of the same
   * version is another Node. Requires a container tool: `docker`, or the command that the variable `CDK_DOCKER` names. Default `false`.
   */
  readonly inImage?: boolean;
  /** With `inImage`: the images, each of which makes a cache. Default: the image of the target's major version. */
  readonly images?: readonly string[];
  /** Without `inImage`: executables of Node, each of which makes a cache. Default: the current one. */
  readonly node?: readonly string[];
  /** The instruction set of the function. Default: that of this machine. */
  readonly architecture?: 'x64' | 'arm64';
  /** Variables that the application reads while it is loaded. Credentials are left out. Default none. */
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * Events for the handler while the cache is made. Handlers run, without credentials and without network; `[]` only loads the application. Default:
   * one for each registered kind, for handlers of a container.
   */
  readonly events?: readonly object[];
  /** The name of the exported handler. Default `handler`. */
  readonly handler?: string;
  /** The time limit of each process that makes a cache, in seconds, 1 to 900; pulling an image counts. Default 60. */
  readonly timeout?: number;
}

/** Variables of a function. */
export const VARIABLES = /* @__PURE__ */ kind<Readonly<Record<string, string>>>('an object of strings', isStringMap);

/** Validators and defaults for {@link StartCacheOptions}. */
export const START_CACHE_OPTIONS = /* @__PURE__ */ defineOptions<StartCacheOptions>()({
  memory: /* @__PURE__ */ list(/* @__PURE__ */ integer(128, 10_240)).default([256]),
  inImage: boolean.default(false),
  images: /* @__PURE__ */ list(/* @__PURE__ */ text('the name of an image')),
  node: /* @__PURE__ */ list(/* @__PURE__ */ text('the path of an executable')),
  architecture: /* @__PURE__ */ oneOf('x64', 'arm64'),
  environment: VARIABLES.default({}),
  events: /* @__PURE__ */ list(
    /* @__PURE__ */ kind<object>('an object', (value) => typeof value === 'object' && value !== null),
  ),
  handler: string.default('handler'),
  timeout: /* @__PURE__ */ integer(1, 900).default(60),
});

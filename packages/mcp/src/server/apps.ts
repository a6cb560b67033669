import type { MaybePromise } from '@sallyport/core';
import { boolean, group, kind, list, type OptionKind, object, oneOf, string, text } from '@sallyport/core/options';
import type { JsonObject } from '../protocol/types.js';
import type { McpContext } from '../run/context.js';

/** The id of the extension for pages that hosts show in a conversation (SEP-1865). */
export const APPS = 'io.modelcontextprotocol/ui';
/** Media type of such a page. */
export const APP_MEDIA_TYPE = 'text/html;profile=mcp-app';

/** Origins that a page may use. A missing list allows no origin. */
export interface AppCsp {
  /** Origins for requests. Default none. */
  readonly connectDomains?: readonly string[];
  /** Origins for scripts, styles, images, fonts and media. Default none. */
  readonly resourceDomains?: readonly string[];
  /** Origins of embedded frames. Default none. */
  readonly frameDomains?: readonly string[];
  /** Origins of the base URI. Default: only the origin of the page. */
  readonly baseUriDomains?: readonly string[];
}

/** Options of an app; an unknown key is rejected. */
export interface AppOptions {
  /** Name in lists; required and not empty. */
  readonly name: string;
  /** Display name. */
  readonly title?: string;
  /** Purpose of the page. */
  readonly description?: string;
  /** Origins that the page may use. Default: none. */
  readonly csp?: AppCsp;
  /** Browser features that the page needs, each an empty object; the host can withhold them. Default none. */
  readonly permissions?: { readonly [Feature in 'camera' | 'microphone' | 'geolocation' | 'clipboardWrite']?: object };
  /** A dedicated origin, in the format of the host. Default: the host selects it. */
  readonly domain?: string;
  /** True if the page should have a border. Default: up to the host. */
  readonly prefersBorder?: boolean;
  /** Scopes that a caller needs to read the page, all of them. Default none. */
  readonly scopes?: readonly string[];
}

/** The page: HTML, or a function that returns it. */
export type AppHtml = string | ((ctx: McpContext) => MaybePromise<string>);

/** The part of a tool in the apps of its server. */
export interface ToolApp {
  /** The `ui://` URI of the app that shows results of the tool. Default: no app shows them. */
  readonly uri?: string;
  /**
   * Allowed callers of the tool: the `model`, the apps of this server (`app`), or both. The host enforces this, because a call has no mark
   * of its origin; `scopes` and `authorize` are enforced by the server. Default both, for every tool.
   */
  readonly visibility?: readonly ('model' | 'app')[];
}

// A host makes a policy of these: a separator or a quoted keyword would add rules to it.
const ORIGINS = list(kind<string>('an origin', isPolicySource), 'a list of origins');
const UI_URI = kind<string>('a URI that begins with ui://', (value) => typeof value === 'string' && isAppUri(value));

/** Validators for the options of an app. */
export const APP_KINDS = {
  name: text('a name').required(),
  title: string,
  description: string,
  csp: group<AppCsp>()({
    connectDomains: ORIGINS,
    resourceDomains: ORIGINS,
    frameDomains: ORIGINS,
    baseUriDomains: ORIGINS,
  }),
  permissions: group<NonNullable<AppOptions['permissions']>>()({
    camera: object(),
    microphone: object(),
    geolocation: object(),
    clipboardWrite: object(),
  }),
  domain: string,
  prefersBorder: boolean,
  scopes: list(text('the name of a scope'), 'a list of scopes').default([]),
};

/** The option `app` of a tool. */
export const TOOL_APP: OptionKind<ToolApp> = group<ToolApp>()({
  uri: UI_URI,
  visibility: list(oneOf('model', 'app'), 'a list of "model" and "app"'),
});

export function isAppUri(uri: string): boolean {
  return /^ui:\/\/./.test(uri);
}

function isPolicySource(value: unknown): boolean {
  return typeof value === 'string' && /^[^\s;,'"]+$/.test(value);
}

/** The members of a tool's `_meta` about its app; hosts before 2026 read the second key. */
export function toolMeta({ uri, visibility }: ToolApp): JsonObject {
  return { ui: { resourceUri: uri, visibility }, 'ui/resourceUri': uri };
}

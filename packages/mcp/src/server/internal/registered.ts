import type { ParamHeader } from '../../protocol/internal/header-values.js';
import type { AskKind, JsonObject } from '../../protocol/types.js';
import type { McpContext } from '../../run/context.js';
import type { CacheHint, Completer, ListedItem } from '../definitions.js';
import type { UriTemplate } from './uri-template.js';

/** What all compiled registrations have. */
export interface Registered extends ListedItem {
  readonly asks: ReadonlySet<AskKind>;
  readonly requires: readonly AskKind[];
  /** The entry in its list, as JSON text. */
  readonly listed: string;
}

export interface Tool extends Registered {
  readonly kind: 'tool';
  readonly paramHeaders: readonly ParamHeader[];
  /** Arguments as the handler gets them, or what is wrong with them. */
  readonly checkInput: ValueCheck | undefined;
  /** Of the structured result. */
  readonly checkOutput: ValueCheck | undefined;
  readonly handler: (args: JsonObject, ctx: McpContext) => unknown;
}

/** A value that passed, maybe transformed, or the rules that it breaks. */
export type Checked = { readonly value: unknown } | { readonly issues: readonly string[] };
export type ValueCheck = (value: unknown) => Checked | Promise<Checked>;

export interface Resource extends Registered {
  readonly kind: 'resource';
  readonly mimeType: string | undefined;
  readonly cache: Required<CacheHint> | undefined;
  readonly handler: (uri: string, ctx: McpContext) => unknown;
}

export interface Template extends Registered {
  readonly kind: 'template';
  readonly template: UriTemplate;
  readonly mimeType: string | undefined;
  readonly cache: Required<CacheHint> | undefined;
  readonly complete: ReadonlyMap<string, Completer>;
  readonly handler: (variables: Readonly<Record<string, string>>, ctx: McpContext, uri: string) => unknown;
}

export interface Prompt extends Registered {
  readonly kind: 'prompt';
  readonly args: ReadonlyMap<string, { readonly required: boolean; readonly complete: Completer | undefined }>;
  readonly handler: (args: Readonly<Record<string, string>>, ctx: McpContext) => unknown;
}

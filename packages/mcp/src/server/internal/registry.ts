import { FrameworkError, type MaybePromise } from '@sallyport/core';
import { sha256Url } from '@sallyport/core/internal';
import { digestOf } from '../../internal/crypto.js';
import type { AskKind } from '../../protocol/types.js';
import type { McpAskingContext, McpContext } from '../../run/context.js';
import type { ToolTask } from '../../tasks/options.js';
import { APP_MEDIA_TYPE } from '../apps.js';
import type { CacheHint, Completer, ListedItem } from '../definitions.js';
import { invalidRegistration } from '../errors.js';
import type { UriTemplate } from './uri-template.js';

/** A handler of the application. */
type Handles<Args extends unknown[]> = (...args: Args) => unknown;

/** Members of all compiled registrations. */
export interface Registered extends ListedItem {
  /**
   * True if the caller may use it: a tool with these arguments, a resource with this URI. With `undefined` it determines if the entry is
   * listed.
   */
  readonly authorize?: ((ctx: McpContext, subject: unknown) => MaybePromise<boolean>) | undefined;
  /** Names the registration in log records: `tool`, `resource` or `prompt`, and its name, URI or URI template. */
  readonly facts: { readonly kind: string; readonly target: string };
  readonly asks: ReadonlySet<AskKind>;
  readonly requires: readonly AskKind[];
  /** Rules for calls of a tool that become tasks. Absent: they do not become tasks. */
  readonly task?: Required<ToolTask> | undefined;
  /** The entry in its list, as JSON text. */
  readonly listed: string;
}

/** An argument that clients also send in a `Mcp-Param-…` header, so that routers can read it. */
export interface ParamHeader {
  /** In lower case. */
  readonly header: string;
  readonly path: readonly string[];
}

export interface Tool extends Registered {
  readonly kind: 'tool';
  readonly paramHeaders: readonly ParamHeader[];
  /** Checks arguments: returns the handler's arguments, or the problems. */
  readonly checkInput: ValueCheck | undefined;
  /** Checks the structured result. */
  readonly checkOutput: ValueCheck | undefined;
  /** Runs the handler of the application. */
  readonly handler: Handles<[args: unknown, ctx: McpAskingContext]>;
}

/** A valid value, possibly transformed, or the rules that it breaks. */
export type Checked = { readonly value: unknown } | { readonly issues: readonly string[] };
export type ValueCheck = (value: unknown) => Checked | Promise<Checked>;

export interface Resource extends Registered {
  readonly kind: 'resource';
  readonly mimeType: string | undefined;
  readonly cache: Required<CacheHint> | undefined;
  readonly handler: Handles<[uri: string, ctx: McpAskingContext]>;
}

export interface Template extends Registered {
  readonly kind: 'template';
  readonly template: UriTemplate;
  readonly mimeType: string | undefined;
  readonly cache: Required<CacheHint> | undefined;
  readonly complete: ReadonlyMap<string, Completer>;
  readonly handler: Handles<[variables: Readonly<Record<string, string>>, ctx: McpAskingContext, uri: string]>;
}

export interface Prompt extends Registered {
  readonly kind: 'prompt';
  readonly args: ReadonlyMap<string, { readonly required: boolean; readonly complete: Completer | undefined }>;
  readonly handler: Handles<[args: Readonly<Record<string, string>>, ctx: McpAskingContext]>;
}

export type ListName = 'tools' | 'prompts' | 'resources' | 'resourceTemplates';

/** All registrations of a server. It is closed at the first request, when the lists are built once. */
export class Registry {
  readonly tools = new Map<string, Tool>();
  readonly prompts = new Map<string, Prompt>();
  readonly resources = new Map<string, Resource>();
  readonly templates = new Map<string, Template>();
  #closed = false;
  #digest: string | undefined;
  readonly #pages = new Map<string, readonly string[]>();

  addTool(tool: Tool): void {
    this.#add(this.tools, tool);
  }

  addPrompt(prompt: Prompt): void {
    this.#add(this.prompts, prompt);
  }

  addResource(resource: Resource): void {
    this.#add(this.resources, resource);
  }

  addTemplate(template: Template): void {
    this.#add(this.templates, template);
  }

  #add<T extends Registered>(map: Map<string, T>, item: T): void {
    if (this.#closed) {
      throw new FrameworkError('mcp.closed', 'framework: mcp: registration is closed after the first request');
    }
    if (map.has(item.name)) throw invalidRegistration(`${item.kind} "${item.name}" is registered twice`);
    map.set(item.name, item);
  }

  close(): void {
    this.#closed = true;
  }

  /** Entries of a list, in order of registration. */
  list(name: ListName): readonly Registered[] {
    const map: ReadonlyMap<string, Registered> = name === 'resourceTemplates' ? this.templates : this[name];
    return [...map.values()];
  }

  /** True if callers see different entries of a list. */
  isGuarded(name: ListName): boolean {
    return this.list(name).some((item) => {
      const { scopes, anyScope, authorize } = item;
      return scopes.length + anyScope.length > 0 || authorize !== undefined;
    });
  }

  /** Pages of a list as JSON, created once. */
  pages(name: ListName, pageSize: number): readonly string[] {
    let pages = this.#pages.get(name);
    if (!pages) {
      pages = toPages(this.list(name), pageSize);
      this.#pages.set(name, pages);
    }
    return pages;
  }

  /** A digest that changes with every change of the registrations. */
  get digest(): string {
    this.#digest ??= digestOf(
      (['tools', 'prompts', 'resources', 'resourceTemplates'] as const).map((name) =>
        sha256Url(
          this.list(name)
            .map((item) => item.listed)
            .join('\n'),
        ),
      ),
    );
    return this.#digest;
  }

  get hasResources(): boolean {
    return this.resources.size + this.templates.size > 0;
  }

  /** True if the server has apps. */
  get hasApps(): boolean {
    for (const { mimeType } of this.resources.values()) if (mimeType === APP_MEDIA_TYPE) return true;
    return false;
  }

  get hasCompleters(): boolean {
    for (const { complete } of this.templates.values()) if (complete.size > 0) return true;
    for (const { args } of this.prompts.values()) {
      for (const { complete } of args.values()) if (complete !== undefined) return true;
    }
    return false;
  }

  /** The resource of a URI: registered with this URI, else the first template that matches. */
  findResource(
    uri: string,
  ): { resource: Resource } | { template: Template; variables: Readonly<Record<string, string>> } | undefined {
    const resource = this.resources.get(uri);
    if (resource) return { resource };
    if (uri.length > MAX_URI_LENGTH) return undefined;
    for (const template of this.templates.values()) {
      const variables = template.template.match(uri);
      if (variables) return { template, variables };
    }
    return undefined;
  }
}

const MAX_URI_LENGTH = 8192;

export function toPages(items: readonly Registered[], pageSize: number): readonly string[] {
  const pages: string[] = [];
  for (let start = 0; start === 0 || start < items.length; start += pageSize) {
    const page = items.slice(start, start + pageSize);
    pages.push(`[${page.map((item) => item.listed).join(',')}]`);
  }
  return pages;
}

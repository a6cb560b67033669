import type { Handler } from '@sallyport/core';
import { lazily } from '@sallyport/core/internal';
import type { Engine } from '../http/internal/engine.js';
import { createOriginCheck } from '../http/internal/origin.js';
import type { AskKind, JsonObject } from '../protocol/types.js';
import type { AppHtml, AppOptions } from './apps.js';
import type {
  Change,
  PromptArguments,
  PromptHandler,
  PromptOptions,
  PublishOptions,
  ResourceHandler,
  ResourceOptions,
  ResourceTemplateHandler,
  ResourceTemplateOptions,
  SchemaInput,
  SchemaOutput,
  ToolHandler,
  ToolOptions,
} from './definitions.js';
import { invalidRegistration } from './errors.js';
import {
  type AnyHandler,
  compileApp,
  compilePrompt,
  compileResource,
  compileResourceTemplate,
  compileTool,
} from './internal/compile.js';
import { type Core, createCore, keepCore } from './internal/core.js';
import type { Registered, Tool } from './internal/registry.js';
import type { McpServerOptions } from './options.js';

/** The code that answers requests. It is loaded with the first request. */
const loadEngine = lazily(() => import('../http/internal/engine.js'));
/** The feed of changes. */
const loadLive = lazily(() => import('../run/internal/live.js'));

/** An MCP server. Register everything before the first request. The server keeps no data of requests. */
export interface McpServer {
  /**
   * Offers a tool. Its arguments are checked against `input` before the handler runs; the handler returns text,
   * `{ structured }` or a full result, and throws {@link McpToolError} with a string for the model.
   *
   * @param name 1 to 128 characters of `A-Z a-z 0-9 _ . -`
   * @returns the server, for the next registration
   * @throws FrameworkError `mcp.invalid_registration` for a duplicate or malformed name, or an invalid schema;
   *   `mcp.closed` after the first request
   *
   * @example
   * server.tool('add', { description: 'Adds two numbers.', input: z.object({ a: z.number(), b: z.number() }) },
   *   ({ a, b }) => ({ structured: { sum: a + b } }));
   */
  tool<I extends SchemaInput = JsonObject, O extends SchemaInput | undefined = undefined, Asks extends AskKind = never>(
    name: string,
    options: ToolOptions<I, O & SchemaInput, Asks>,
    handler: ToolHandler<SchemaOutput<I>, O, Asks>,
  ): McpServer;
  /**
   * Offers one resource. The handler returns text, bytes or a full result; `undefined` means that the resource does not exist.
   *
   * @param uri with a scheme: `notes://index`
   * @throws FrameworkError `mcp.invalid_registration`, `mcp.closed`
   */
  resource<Asks extends AskKind = never>(
    uri: string,
    options: ResourceOptions<Asks>,
    handler: ResourceHandler<Asks>,
  ): McpServer;
  /**
   * Offers all resources whose URI matches a template, unless a resource is registered with the same URI.
   *
   * @param uriTemplate with `{name}` (no slash) and `{+name}` (with slashes): `notes://{id}`
   * @throws FrameworkError `mcp.invalid_registration`, `mcp.closed`
   */
  resourceTemplate<const T extends string, Asks extends AskKind = never>(
    uriTemplate: T,
    options: ResourceTemplateOptions<T, Asks>,
    handler: ResourceTemplateHandler<T, Asks>,
  ): McpServer;
  /**
   * Offers a prompt. The handler returns text (one message of the user), messages or a full result.
   *
   * @param name 1 to 128 characters of `A-Z a-z 0-9 _ . -`
   * @throws FrameworkError `mcp.invalid_registration`, `mcp.closed`
   */
  prompt<const A extends PromptArguments, Asks extends AskKind = never>(
    name: string,
    options: PromptOptions<A, Asks>,
    handler: PromptHandler<A, Asks>,
  ): McpServer;
  /**
   * Offers a page that hosts display with the conversation (MCP Apps). Tools refer to it by their option `app`.
   *
   * @param uri begins with `ui://`
   * @throws FrameworkError `mcp.invalid_registration`, `mcp.closed`
   *
   * @example
   * server.app('ui://notes/board', { name: 'board' }, '<!doctype html><title>Notes</title>');
   * server.tool('show', { app: { uri: 'ui://notes/board' } }, () => ({ structured: { notes: [] } }));
   */
  app(uri: string, options: AppOptions, html: AppHtml): McpServer;
  /**
   * Notifies listeners of both eras, on any instance, of a change; with `tenantId` only those of one tenant.
   *
   * @throws FrameworkError `mcp.changes_off` without the option `changes`
   */
  publish(change: Change, to?: PublishOptions): Promise<void>;
  /** POST, GET and DELETE of the MCP route. */
  readonly handler: Handler;
  /** The same handler with other allowed origins than the server's option. */
  handlerFor(options: { readonly allowedOrigins: readonly string[] }): Handler;
}

/**
 * Creates an MCP server.
 *
 * @throws FrameworkError `app.invalid_configuration`, naming the option
 *
 * @example
 * const server = createMcpServer({ name: 'notes', version: '1.4.0' });
 * server.tool('add', { description: 'Adds.', input: AddInput }, ({ a, b }) => String(a + b));
 */
export function createMcpServer(options: McpServerOptions): McpServer {
  return new Server(createCore(options));
}

/** The engine as a handler of the framework's pipeline. */
function handlerOf(engine: Engine): Handler {
  return async (ctx) => (await loadEngine()).answer(engine, ctx);
}

class Server implements McpServer {
  readonly #core: Core;
  readonly handler: Handler;

  constructor(core: Core) {
    this.#core = core;
    keepCore(this, core);
    this.handler = handlerOf({ core, isAllowed: createOriginCheck(core.settings.allowedOrigins) });
  }

  tool(name: string, options: ToolOptions, handler: AnyHandler): this {
    this.#core.registry.addTool(this.#checked(compileTool(name, options, handler)));
    return this;
  }

  resource(uri: string, options: ResourceOptions, handler: AnyHandler): this {
    this.#core.registry.addResource(this.#checked(compileResource(uri, options, handler)));
    return this;
  }

  resourceTemplate(uriTemplate: string, options: ResourceTemplateOptions, handler: AnyHandler): this {
    this.#core.registry.addTemplate(this.#checked(compileResourceTemplate(uriTemplate, options, handler)));
    return this;
  }

  prompt(name: string, options: PromptOptions, handler: AnyHandler): this {
    this.#core.registry.addPrompt(this.#checked(compilePrompt(name, options, handler)));
    return this;
  }

  app(uri: string, options: AppOptions, html: AppHtml): this {
    this.#core.registry.addResource(compileApp(uri, options, html));
    return this;
  }

  async publish(change: Change, { tenantId }: PublishOptions = {}): Promise<void> {
    const { publishChange, publishingCore } = await loadLive();
    await publishChange(publishingCore(this.#core), change, tenantId);
  }

  handlerFor({ allowedOrigins }: { readonly allowedOrigins: readonly string[] }): Handler {
    return handlerOf({ core: this.#core, isAllowed: createOriginCheck(allowedOrigins) });
  }

  /** Registrations with questions need the option `secret`, because the encrypted state is sent through the client. */
  #checked<T extends Registered>(item: T): T {
    if ((item as Registered & Partial<Tool>).task && this.#core.settings.tasks === undefined) {
      throw invalidRegistration(`${item.kind} "${item.name}" becomes a task, which needs the option "tasks"`);
    }
    if (item.asks.size > 0 && this.#core.settings.secret === undefined) {
      throw invalidRegistration(`${item.kind} "${item.name}" asks the client, which needs the option "secret"`);
    }
    return item;
  }
}

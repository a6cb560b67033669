import type { Handler } from '@sallyport/core';
import { keepStated, lazily } from '@sallyport/core/internal';
import { createOriginCheck, type OriginCheck } from '../http/internal/origin.js';
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
import type { Registered } from './internal/registry.js';
import { createServerData, keepServerData, type ServerData } from './internal/server-data.js';
import type { McpServerOptions } from './options.js';

/** The feed of changes. */
const loadStreams = lazily(() => import('../run/internal/streams.js'));

/** An MCP server. Register everything before the first request. The server keeps no data of requests. */
export interface McpServer {
  /**
   * Registers a tool. Its arguments are validated with `input` before the handler runs. The handler returns text, `{ structured }` or a full
   * result. To send an error message to the model, throw {@link McpToolError}; other errors are only logged.
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
   * Registers one resource. The handler returns text, bytes or a full result; `undefined` if the resource does not exist.
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
   * Registers all resources whose URI matches a template. A resource that is registered with the same URI takes precedence.
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
   * Registers a prompt. The handler returns text (one message of the user), messages or a full result.
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
   * Registers a page that hosts display with the conversation (MCP Apps). Tools name it in their option `app`.
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
   * Notifies subscribed clients on any instance of a change; with `tenantId` only clients of one tenant.
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
 * Creates an MCP server for tools, resources and prompts. Mount it on `SecureApp` with `mountMcp`. Durable sessions and resumable streams
 * need the option `store`.
 *
 * @throws FrameworkError `app.invalid_configuration`, naming the option
 *
 * @example
 * const server = createMcpServer({ name: 'notes', version: '1.4.0', store: dynamoMcpStore() });
 * server.tool('add', { description: 'Adds.', input: AddInput }, ({ a, b }) => String(a + b));
 * mountMcp(app, server, { posture: Authenticated('mcp') });
 */
export function createMcpServer(options: McpServerOptions): McpServer {
  return new Server(createServerData(options));
}

class Server implements McpServer {
  readonly #data: ServerData;
  readonly handler: Handler;
  /** Loads the code that answers requests, with the first request. From then on, nothing can be registered. */
  readonly #loadEngine = lazily(() => {
    this.#data.registry.close();
    return import('../http/internal/engine.js');
  });

  constructor(data: ServerData) {
    this.#data = data;
    keepServerData(this, data);
    this.handler = this.#handlerOf(createOriginCheck(data.settings.allowedOrigins));
  }

  #handlerOf(isAllowed: OriginCheck): Handler {
    const engine = { server: this.#data, isAllowed };
    const handler: Handler = async (ctx) => (await this.#loadEngine()).answer(engine, ctx);
    return keepStated(handler, { mcp: () => ({ info: this.#data.settings.info, registry: this.#data.registry }) });
  }

  tool(name: string, options: ToolOptions, handler: AnyHandler): this {
    this.#data.registry.addTool(this.#checked(compileTool(name, options, handler, this.#data.settings.argumentErrors)));
    return this;
  }

  resource(uri: string, options: ResourceOptions, handler: AnyHandler): this {
    this.#data.registry.addResource(this.#checked(compileResource(uri, options, handler)));
    return this;
  }

  resourceTemplate(uriTemplate: string, options: ResourceTemplateOptions, handler: AnyHandler): this {
    this.#data.registry.addTemplate(this.#checked(compileResourceTemplate(uriTemplate, options, handler)));
    return this;
  }

  prompt(name: string, options: PromptOptions, handler: AnyHandler): this {
    this.#data.registry.addPrompt(this.#checked(compilePrompt(name, options, handler)));
    return this;
  }

  app(uri: string, options: AppOptions, html: AppHtml): this {
    this.#data.registry.addResource(compileApp(uri, options, html));
    return this;
  }

  async publish(change: Change, { tenantId }: PublishOptions = {}): Promise<void> {
    const { publishChange, withPublishingStore } = await loadStreams();
    await publishChange(withPublishingStore(this.#data), change, tenantId);
  }

  handlerFor({ allowedOrigins }: { readonly allowedOrigins: readonly string[] }): Handler {
    return this.#handlerOf(createOriginCheck(allowedOrigins));
  }

  /** Registrations with questions need the option `secret`, because the encrypted state is sent through the client. */
  #checked<T extends Registered>(item: T): T {
    if (item.task && this.#data.settings.tasks === undefined) {
      throw invalidRegistration(`${item.kind} "${item.name}" becomes a task, which needs the option "tasks"`);
    }
    if (item.asks.size > 0 && this.#data.settings.secret === undefined) {
      throw invalidRegistration(`${item.kind} "${item.name}" asks the client, which needs the option "secret"`);
    }
    return item;
  }
}

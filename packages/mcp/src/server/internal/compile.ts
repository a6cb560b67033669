import { assertKnownOptions } from '@sallyport/core/pipeline';
import { findParamHeaders } from '../../protocol/internal/header-values.js';
import type { AskKind, JsonObject } from '../../protocol/types.js';
import type { McpContext } from '../../run/context.js';
import type {
  Completer,
  HandlerOptions,
  PromptHandler,
  PromptOptions,
  ResourceHandler,
  ResourceOptions,
  ResourceTemplateHandler,
  ResourceTemplateOptions,
  SchemaInput,
  ToolHandler,
  ToolOptions,
} from '../definitions.js';
import { invalidRegistration } from '../errors.js';
import { parseCache } from '../options.js';
import { describeIssues, isStandardSchema, jsonSchemaOf, schemaProblem } from '../schemas.js';
import { loadSchemaCheck } from './core.js';
import {
  compileTemplate,
  hasScheme,
  type Prompt,
  type Registered,
  type Resource,
  type Template,
  type Tool,
  type ValueCheck,
} from './registry.js';

const NAME = /^[A-Za-z0-9_.-]{1,128}$/;
const ASK_KINDS: readonly unknown[] = ['elicitation', 'sampling', 'roots'];
const HANDLER_KEYS = ['title', 'description', 'icons', '_meta', 'asks', 'requires', 'scopes'];
const RESOURCE_KEYS = [...HANDLER_KEYS, 'name', 'mimeType', 'size', 'annotations', 'cache'];

export function compileTool(name: string, options: ToolOptions, handler: ToolHandler<never>): Tool {
  assertName('tool', name);
  const { input, inputJsonSchema, output, outputJsonSchema } = options;
  assertKnownOptions(options, [
    ...HANDLER_KEYS,
    'input',
    'inputJsonSchema',
    'output',
    'outputJsonSchema',
    'annotations',
  ]);
  assertHandler(`tool "${name}"`, handler);
  const inputSchema = jsonSchema(`tool "${name}": input`, input ?? { type: 'object' }, inputJsonSchema, 'input');
  const outputSchema = output && jsonSchema(`tool "${name}": output`, output, outputJsonSchema, 'output');
  const paramHeaders = findParamHeaders(inputSchema);
  if (typeof paramHeaders === 'string') throw invalidRegistration(`tool "${name}": ${paramHeaders}`);
  const { annotations } = options;
  const listed = { name, ...described(options), inputSchema, outputSchema, annotations, ...marked(options) };
  return {
    kind: 'tool',
    ...common(name, options, listed),
    paramHeaders,
    checkInput: input === undefined && inputJsonSchema === undefined ? undefined : valueCheck(input ?? {}, inputSchema),
    checkOutput: output && outputSchema && valueCheck(output, outputSchema),
    handler: handler as (args: JsonObject, ctx: McpContext) => unknown,
  };
}

export function compileResource(uri: string, options: ResourceOptions, handler: ResourceHandler): Resource {
  if (typeof uri !== 'string' || !hasScheme(uri)) throw invalidRegistration(`resource "${uri}" has no scheme`);
  assertKnownOptions(options, RESOURCE_KEYS);
  assertHandler(`resource "${uri}"`, handler);
  const listed = { uri, ...resourceMembers(`resource "${uri}"`, options) };
  return {
    kind: 'resource',
    ...common(uri, options, listed),
    mimeType: options.mimeType,
    cache: options.cache && parseCache(options.cache),
    handler,
  };
}

export function compileResourceTemplate(
  text: string,
  options: ResourceTemplateOptions,
  handler: ResourceTemplateHandler,
): Template {
  const template = typeof text === 'string' ? compileTemplate(text) : undefined;
  if (!template) throw invalidRegistration(`"${text}" is no URI template with a scheme and variables`);
  assertKnownOptions(options, [...RESOURCE_KEYS, 'complete']);
  assertHandler(`resource template "${text}"`, handler);
  const complete = new Map(Object.entries(options.complete ?? {}));
  for (const [name, completer] of complete) {
    if (!template.names.includes(name)) throw invalidRegistration(`"${text}" has no variable "${name}"`);
    assertCompleter(name, completer);
  }
  const listed = { uriTemplate: text, ...resourceMembers(`resource template "${text}"`, options) };
  return {
    kind: 'template',
    ...common(text, options, listed),
    template,
    mimeType: options.mimeType,
    cache: options.cache && parseCache(options.cache),
    complete,
    handler,
  };
}

export function compilePrompt(name: string, options: PromptOptions, handler: PromptHandler): Prompt {
  assertName('prompt', name);
  assertKnownOptions(options, [...HANDLER_KEYS, 'args']);
  assertHandler(`prompt "${name}"`, handler);
  const args = Object.entries(options.args ?? {});
  for (const [argument, definition] of args) {
    assertKnownOptions(definition, ['title', 'description', 'required', 'complete']);
    if (definition.complete !== undefined) assertCompleter(argument, definition.complete);
  }
  const listedArgs = args.map(([argument, { title, description, required }]) => {
    return { name: argument, title, description, required };
  });
  const listed = {
    name,
    ...described(options),
    arguments: listedArgs.length > 0 ? listedArgs : undefined,
    ...marked(options),
  };
  return {
    kind: 'prompt',
    ...common(name, options, listed),
    args: new Map(args.map(([key, { required, complete }]) => [key, { required: required === true, complete }])),
    handler,
  };
}

function common(name: string, options: HandlerOptions, listed: JsonObject): Omit<Registered, 'kind'> {
  const requires = askKinds(name, options.requires);
  return {
    name,
    asks: new Set([...askKinds(name, options.asks), ...requires]),
    requires,
    scopes: stringList(name, 'scopes', options.scopes),
    listed: JSON.stringify(listed),
  };
}

function described({ title, description }: HandlerOptions): JsonObject {
  return { title, description };
}

function marked({ icons, _meta }: HandlerOptions): JsonObject {
  return { icons, _meta };
}

function resourceMembers(what: string, options: ResourceOptions): JsonObject {
  if (typeof options.name !== 'string' || options.name === '') throw invalidRegistration(`${what} has no name`);
  const { name, mimeType, size, annotations } = options;
  return { name, ...described(options), mimeType, size, annotations, ...marked(options) };
}

function askKinds(name: string, kinds: readonly AskKind[] | undefined): readonly AskKind[] {
  const list = stringList(name, 'asks', kinds) as readonly AskKind[];
  if (!list.every((kind) => ASK_KINDS.includes(kind))) {
    throw invalidRegistration(`"${name}" may ask for elicitation, sampling and roots only`);
  }
  return list;
}

function stringList(name: string, key: string, list: readonly string[] | undefined): readonly string[] {
  if (list === undefined) return [];
  if (!Array.isArray(list) || !list.every((item) => typeof item === 'string' && item.trim() !== '')) {
    throw invalidRegistration(`"${name}": ${key} must be a list of names`);
  }
  return [...list];
}

function assertName(kind: string, name: unknown): void {
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw invalidRegistration(`${kind} name "${String(name)}" is not of the form [A-Za-z0-9_.-]{1,128}`);
  }
}

function assertHandler(what: string, handler: unknown): void {
  if (typeof handler !== 'function') throw invalidRegistration(`${what} has no handler function`);
}

function assertCompleter(name: string, completer: Completer): void {
  if (typeof completer !== 'function' && !Array.isArray(completer)) {
    throw invalidRegistration(`the completer of "${name}" must be a list or a function`);
  }
}

/** The JSON Schema to list; a copy, so that nobody changes it later. */
function jsonSchema(what: string, schema: SchemaInput, beside: JsonObject | undefined, side: 'input' | 'output') {
  const raw = beside ?? (isStandardSchema(schema) ? jsonSchemaOf(schema, side) : schema);
  if (raw === undefined)
    throw invalidRegistration(`${what}: the validator gives no JSON Schema; add ${side}JsonSchema`);
  const problem = schemaProblem(raw, true);
  if (problem !== undefined) throw invalidRegistration(`${what} ${problem}`);
  return structuredClone(raw) as JsonObject;
}

/** A validator checks by itself; a JSON Schema through the interpreter, which is made at the first value. */
function valueCheck(schema: SchemaInput, listed: JsonObject): ValueCheck {
  if (isStandardSchema(schema)) {
    return async (value) => {
      const result = await schema['~standard'].validate(value);
      return result.issues ? { issues: describeIssues(result.issues) } : { value: result.value };
    };
  }
  let check: ((value: unknown) => readonly string[]) | undefined;
  const run = (ready: (value: unknown) => readonly string[], value: unknown) => {
    const issues = ready(value);
    return issues.length > 0 ? { issues } : { value };
  };
  return (value) => {
    if (check) return run(check, value);
    return loadSchemaCheck().then(({ createCheck }) => {
      check = createCheck(listed);
      return run(check, value);
    });
  };
}

import { isObject } from '@sallyport/core/internal';
import {
  boolean,
  defineOptions,
  func,
  group,
  integer,
  isStandardSchema,
  kind,
  list,
  OptionKind,
  type OptionKinds,
  object,
  oneOf,
  type ParsedOptions,
  string,
  text,
} from '@sallyport/core/options';
import type { Annotations, Icon, JsonObject, ToolAnnotations } from '../../protocol/types.js';
import type { McpContext } from '../../run/context.js';
import type { ToolTask } from '../../tasks/options.js';
import { APP_KINDS, APP_MEDIA_TYPE, type AppHtml, type AppOptions, isAppUri, TOOL_APP, toolMeta } from '../apps.js';
import type {
  CacheHint,
  Completer,
  PromptArgument,
  PromptOptions,
  ResourceOptions,
  ResourceTemplateOptions,
  SchemaInput,
  ToolOptions,
} from '../definitions.js';
import { invalidRegistration } from '../errors.js';
import { type ArgumentErrors, CACHE } from '../options.js';
import type { Prompt, Registered, Resource, Template, Tool, ValueCheck } from './registry.js';
import { findParamHeaders, isUnionOfObjects, jsonSchemaOf, schemaProblem } from './schemas.js';
import { loadSchemaCheck } from './server-data.js';
import { compileTemplate, hasScheme } from './uri-template.js';

/** A handler of any kind; the registration checks its arguments. */
export type AnyHandler = (...args: never[]) => unknown;

const NAME = /^[A-Za-z0-9_.-]{1,128}$/;

const ASKS = list(oneOf('elicitation', 'sampling', 'roots'), 'a list of "elicitation", "sampling" and "roots"');
const SCOPES = list(text('the name of a scope'), 'a list of scopes');
const COMPLETER = kind<Completer>(
  'a list or a function',
  (value) => typeof value === 'function' || Array.isArray(value),
);
const SCHEMA = kind<SchemaInput>('a JSON Schema or a validator', (value) => isObject(value) || isStandardSchema(value));

/** Common options of all definitions. */
const COMMON = {
  title: string,
  description: string,
  icons: list(object<Icon>(), 'a list of icons'),
  _meta: object<JsonObject>(),
  asks: ASKS.default([]),
  requires: ASKS.default([]),
  scopes: SCOPES.default([]),
  anyScope: SCOPES.default([]),
};

const TOOL = {
  ...COMMON,
  input: SCHEMA,
  inputJsonSchema: object<JsonObject>(),
  output: SCHEMA,
  outputJsonSchema: object<JsonObject>(),
  task: group<ToolTask>()({ required: boolean.default(false), at: oneOf('start', 'closeStream').default('start') }),
  app: TOOL_APP,
  annotations: object<ToolAnnotations>(),
  authorize: func<NonNullable<ToolOptions['authorize']>>(),
};

const RESOURCE = {
  ...COMMON,
  name: text('a name').required(),
  mimeType: string,
  size: integer(0, undefined, 'bytes'),
  authorize: func<NonNullable<ResourceOptions['authorize']>>(),
  annotations: object<Annotations>(),
  cache: CACHE,
};

const TEMPLATE = { ...RESOURCE, complete: mapOf(COMPLETER).default({}) };

const PROMPT = {
  ...COMMON,
  args: mapOf(
    group<PromptArgument>()({ title: string, description: string, required: boolean, complete: COMPLETER }),
  ).default({}),
};

/** An object whose members are all of one kind. */
function mapOf<T>(member: OptionKind<T>): OptionKind<Readonly<Record<string, T>>> {
  const wanted = `an object, each ${member.wanted}`;
  return new OptionKind(wanted, (value, place) => {
    if (!isObject(value)) throw place.fail(`option "${place.name}" must be ${wanted}`);
    const read = (name: string, item: unknown) =>
      member.read(item ?? null, { ...place, name: `${place.name}.${name}` }) as T;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, read(name, item)]));
  });
}

/** Checks a definition. Error messages contain the registration. */
function read<T extends object, K extends OptionKinds<T>>(what: string, kinds: K, options: T): ParsedOptions<K> {
  return defineOptions<T>()(kinds, { fail: (problem) => invalidRegistration(`${what}: ${problem}`) }).parse(options);
}

export function compileTool(name: string, options: ToolOptions, handler: AnyHandler, errors: ArgumentErrors): Tool {
  const what = named('tool', name, handler);
  const parsed = read<ToolOptions, typeof TOOL>(what, TOOL, options);
  const { input, inputJsonSchema, output, outputJsonSchema, annotations, app } = parsed;
  const _meta = app ? { ...parsed._meta, ...toolMeta(app) } : parsed._meta;
  const inputSchema = jsonSchema(`${what}: input`, input ?? { type: 'object' }, inputJsonSchema, 'input');
  const outputSchema = output && jsonSchema(`${what}: output`, output, outputJsonSchema, 'output');
  const paramHeaders = findParamHeaders(inputSchema);
  if (typeof paramHeaders === 'string') throw invalidRegistration(`${what}: ${paramHeaders}`);
  return {
    kind: 'tool',
    ...registered('tool', name, parsed, {
      ...shown({ ...parsed, name, _meta }),
      inputSchema,
      outputSchema,
      annotations,
    }),
    paramHeaders,
    checkInput:
      input === undefined && inputJsonSchema === undefined ? undefined : valueCheck(input ?? {}, inputSchema, errors),
    // The problems of a result are logged, and a validator's message may contain a value.
    checkOutput: output && outputSchema && valueCheck(output, outputSchema, 'rule'),
    task: parsed.task as Registered['task'],
    authorize: parsed.authorize as Registered['authorize'],
    handler: handler as Tool['handler'],
  };
}

export function compileResource(uri: string, options: ResourceOptions, handler: AnyHandler): Resource {
  if (typeof uri !== 'string' || !hasScheme(uri)) throw invalidRegistration(`resource "${uri}" has no scheme`);
  const what = `resource "${uri}"`;
  assertHandler(what, handler);
  const parsed = read<ResourceOptions, typeof RESOURCE>(what, RESOURCE, options);
  return {
    kind: 'resource',
    ...registered('resource', uri, parsed, { uri, ...shown(parsed) }),
    ...cached(parsed),
    authorize: parsed.authorize as Registered['authorize'],
    handler: handler as Resource['handler'],
  };
}

/** Compiles an app to a resource with the media type of apps. Its permissions are sent in the list and with its contents. */
export function compileApp(uri: string, options: AppOptions, html: AppHtml): Resource {
  const what = `app "${uri}"`;
  if (typeof uri !== 'string' || !isAppUri(uri))
    throw invalidRegistration(`${what} must have a URI that begins with ui://`);
  if (typeof html !== 'string' && typeof html !== 'function') throw invalidRegistration(`${what} has no page`);
  const parsed = read<AppOptions, typeof APP_KINDS>(what, APP_KINDS, options);
  const { csp, permissions, domain, prefersBorder, name, title, description, scopes } = parsed;
  const _meta = withoutAbsent({ ui: withoutAbsent({ csp, permissions, domain, prefersBorder }) });
  const mimeType = APP_MEDIA_TYPE;
  const about = withoutAbsent({ name, title, description, scopes, mimeType, _meta }) as unknown as ResourceOptions;
  return compileResource(uri, about, async (_: string, ctx: McpContext) => {
    const text = typeof html === 'string' ? html : await html(ctx);
    return { contents: [{ uri, mimeType, text, _meta }] };
  });
}

function withoutAbsent(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

export function compileResourceTemplate(
  uriTemplate: string,
  options: ResourceTemplateOptions,
  handler: AnyHandler,
): Template {
  const template = typeof uriTemplate === 'string' ? compileTemplate(uriTemplate) : undefined;
  if (!template) throw invalidRegistration(`"${uriTemplate}" is not a URI template with a scheme and variables`);
  const what = `resource template "${uriTemplate}"`;
  assertHandler(what, handler);
  const { complete, ...parsed } = read<ResourceTemplateOptions, typeof TEMPLATE>(what, TEMPLATE, options);
  const stray = Object.keys(complete).find((name) => !template.names.includes(name));
  if (stray !== undefined) throw invalidRegistration(`${what} has no variable "${stray}"`);
  return {
    kind: 'template',
    ...registered('resource', uriTemplate, parsed, { uriTemplate, ...shown(parsed) }),
    ...cached(parsed),
    authorize: parsed.authorize as Registered['authorize'],
    template,
    complete: new Map(Object.entries(complete)),
    handler: handler as Template['handler'],
  };
}

export function compilePrompt(name: string, options: PromptOptions, handler: AnyHandler): Prompt {
  const what = named('prompt', name, handler);
  const { args, ...parsed } = read<PromptOptions, typeof PROMPT>(what, PROMPT, options);
  const entries = Object.entries(args);
  const listed = entries.map(([argument, { complete: _, ...about }]) => ({ name: argument, ...about }));
  return {
    kind: 'prompt',
    ...registered('prompt', name, parsed, {
      ...shown({ ...parsed, name }),
      arguments: listed.length > 0 ? listed : undefined,
    }),
    args: new Map(entries.map(([key, { required, complete }]) => [key, { required: required === true, complete }])),
    handler: handler as Prompt['handler'],
  };
}

type Common = ParsedOptions<typeof COMMON>;

function registered(
  kind: string,
  name: string,
  { asks, requires, scopes, anyScope }: Common,
  listed: JsonObject,
): Omit<Registered, 'kind'> {
  const facts = { kind, target: name };
  const both = new Set([...asks, ...requires]);
  return { name, facts, asks: both, requires, scopes, anyScope, listed: JSON.stringify(listed) };
}

/** The common members of a definition in a list. */
function shown(options: Common & JsonObject): JsonObject {
  const { name, title, description, mimeType, size, annotations, icons, _meta } = options;
  return { name, title, description, mimeType, size, annotations, icons, _meta };
}

function cached({ mimeType, cache }: ParsedOptions<typeof RESOURCE>) {
  return { mimeType, cache: cache as Required<CacheHint> | undefined };
}

function named(kindOf: 'tool' | 'prompt', name: unknown, handler: unknown): string {
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw invalidRegistration(`${kindOf} name "${String(name)}" is not of the form [A-Za-z0-9_.-]{1,128}`);
  }
  assertHandler(`${kindOf} "${name}"`, handler);
  return `${kindOf} "${name}"`;
}

function assertHandler(what: string, handler: unknown): void {
  if (typeof handler !== 'function') throw invalidRegistration(`${what} has no handler function`);
}

/** The JSON Schema for lists; a copy, so that it cannot be changed later. */
function jsonSchema(what: string, schema: SchemaInput, beside: JsonObject | undefined, side: 'input' | 'output') {
  const raw = beside ?? (isStandardSchema(schema) ? jsonSchemaOf(schema, side) : schema);
  if (raw === undefined) throw invalidRegistration(`${what}: the validator has no JSON Schema; add ${side}JsonSchema`);
  const listed = isUnionOfObjects(raw) ? { type: 'object', ...raw } : raw;
  const problem = schemaProblem(listed, true);
  if (problem !== undefined) throw invalidRegistration(`${what} ${problem}`);
  return structuredClone(listed) as JsonObject;
}

/** A validator checks values itself. A JSON Schema is checked by the interpreter, which is created for the first value. */
function valueCheck(schema: SchemaInput, listed: JsonObject, errors: ArgumentErrors): ValueCheck {
  if (isStandardSchema(schema)) {
    return async (value) => {
      const result = await schema['~standard'].validate(value);
      if (!result.issues) return { value: result.value };
      const { createCheck, describeIssues } = await loadSchemaCheck();
      return { issues: describeIssues(result.issues, errors, () => createCheck(listed)(value)) };
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

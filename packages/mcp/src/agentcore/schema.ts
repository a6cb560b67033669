import { isObject } from '@sallyport/core/internal';
import { invalidOption } from '@sallyport/core/options';
import { own } from '../protocol/internal/json-rpc.js';
import type { JsonObject } from '../protocol/types.js';
import { invalidRegistration } from '../server/errors.js';
import { serverDataOf } from '../server/internal/server-data.js';
import type { McpServer } from '../server/server.js';

/** The types of a schema in a gateway. */
export type ToolSchemaType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object';

/** The part of JSON Schema that a gateway supports. */
export interface ToolSchema {
  /** The type of the value. */
  readonly type: ToolSchemaType;
  /** Description for the model. */
  readonly description?: string;
  /** Members of an object. */
  readonly properties?: Readonly<Record<string, ToolSchema>>;
  /** Entries of a list. */
  readonly items?: ToolSchema;
  /** Required members of an object. */
  readonly required?: readonly string[];
}

/** One tool of a Lambda target, for its inline schema. */
export interface ToolDefinition {
  /** The name of the tool. */
  readonly name: string;
  /** Description for the model. */
  readonly description: string;
  /** Schema of the arguments. */
  readonly inputSchema: ToolSchema;
  /** Schema of the structured result. */
  readonly outputSchema?: ToolSchema;
}

/**
 * The tools of a server as the inline schema of a Lambda target: only `type`, `description`, `properties`, `items` and `required`.
 * References are resolved, and further rules are left out, because the tool checks them. Tools for apps only are left out.
 *
 * @throws FrameworkError `mcp.invalid_registration` with the name of the tool, if its description is missing, or if a schema has
 *   alternatives, a reference to itself, or not exactly one type
 * @see https://docs.aws.amazon.com/bedrock-agentcore-control/latest/APIReference/API_SchemaDefinition.html
 * @example writeFileSync('tools.json', JSON.stringify(toToolSchema(server)));
 */
export function toToolSchema(server: McpServer): readonly ToolDefinition[] {
  const data = serverDataOf(server);
  if (!data) throw invalidOption('server', 'made by createMcpServer');
  return data.registry
    .list('tools')
    .map(({ listed }) => JSON.parse(listed) as ListedTool)
    .filter(isForModels)
    .map(toDefinition);
}

interface ListedTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly _meta?: { readonly ui?: { readonly visibility?: readonly string[] } };
}

function isForModels({ _meta }: ListedTool): boolean {
  return _meta?.ui?.visibility?.includes('model') ?? true;
}

function toDefinition({ name, description = '', inputSchema, outputSchema }: ListedTool): ToolDefinition {
  const what = `tool "${name}"`;
  if (description.trim() === '') throw invalidRegistration(`${what} has no description, which a gateway needs`);
  const convert = (side: string, root: JsonObject) => convertNode({ what, root }, root, side, []);
  return {
    name,
    description,
    inputSchema: convert('input', inputSchema),
    ...(outputSchema && { outputSchema: convert('output', outputSchema) }),
  };
}

interface Document {
  readonly what: string;
  readonly root: JsonObject;
}

const TYPES: readonly unknown[] = [
  'string',
  'number',
  'integer',
  'boolean',
  'array',
  'object',
] satisfies ToolSchemaType[];
/** A gateway cannot express alternatives, and a schema without them would be wrong. */
const ALTERNATIVES = ['anyOf', 'oneOf', 'allOf'];

/** @param refs the references that led here, which must not repeat */
function convertNode(document: Document, given: unknown, place: string, refs: readonly string[]): ToolSchema {
  const { what } = document;
  if (!isObject(given)) throw invalidRegistration(`${what}: ${place} must be a schema with a type`);
  const { $ref, ...beside } = given;
  if (typeof $ref === 'string') {
    if (refs.includes($ref))
      throw invalidRegistration(`${what}: ${place} refers to itself, which a gateway cannot express`);
    const found = resolve(document, $ref, place);
    return convertNode(document, isObject(found) ? { ...found, ...beside } : found, place, [...refs, $ref]);
  }
  for (const keyword of ALTERNATIVES) {
    if (Object.hasOwn(given, keyword)) {
      throw invalidRegistration(`${what}: ${place} uses ${keyword}, which a gateway cannot express`);
    }
  }
  const { type, description, properties, items, required } = given;
  if (!TYPES.includes(type)) throw invalidRegistration(`${what}: ${place} must have one type, which a gateway needs`);
  return {
    type: type as ToolSchemaType,
    ...(typeof description === 'string' && { description }),
    ...(isObject(properties) && { properties: convertMembers(document, properties, place, refs) }),
    ...(items !== undefined && { items: convertNode(document, items, `${place}[]`, refs) }),
    ...(Array.isArray(required) && { required: required as readonly string[] }),
  };
}

function convertMembers(document: Document, properties: JsonObject, place: string, refs: readonly string[]) {
  const members = Object.entries(properties).map(([name, schema]) => {
    return [name, convertNode(document, schema, `${place}.${name}`, refs)] as const;
  });
  return Object.fromEntries(members);
}

/** The target of a JSON pointer within the document (RFC 6901). */
function resolve({ what, root }: Document, ref: string, place: string): unknown {
  if (ref !== '#' && !ref.startsWith('#/')) {
    throw invalidRegistration(
      `${what}: ${place} has a $ref that is not a JSON pointer, which a gateway cannot express`,
    );
  }
  let node: unknown = root;
  for (const part of ref.split('/').slice(1)) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    node = isObject(node) ? own(node, key) : Array.isArray(node) ? node[Number(key)] : undefined;
  }
  if (node === undefined) throw invalidRegistration(`${what}: ${place} refers to nothing`);
  return node;
}

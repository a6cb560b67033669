import type { HttpEntry, JsonSchema, ServiceContract } from '../../src/service.js';

/** A contract with nothing in it but these parts. */
export function contractOf(parts: Partial<ServiceContract>): ServiceContract {
  return {
    version: 1,
    service: 'shop',
    http: {},
    queue: {},
    stream: {},
    topic: {},
    bus: {},
    table: {},
    event: {},
    socket: { in: {}, out: {} },
    mcp: {},
    tool: {},
    invoke: {},
    field: {},
    schemas: {},
    unknown: [],
    renamed: [],
    ...parts,
  };
}

const at = { function: 'src/lambda.ts' };

/** A contract with one operation. */
export const withRoute = (entry: Partial<HttpEntry>, key = 'POST /notes') =>
  contractOf({ http: { [key]: { ...at, ...entry } } });

/** The contract that has a schema at one place. */
export const PLACES = {
  input: (schema: JsonSchema) => withRoute({ body: schema }),
  answer: (schema: JsonSchema) => withRoute({ answer: { 200: schema } }),
  queue: (schema: JsonSchema) => contractOf({ queue: { orders: { ...at, message: schema } } }),
  sends: (schema: JsonSchema) => contractOf({ socket: { in: {}, out: { added: { ...at, message: schema } } } }),
} as const;

/** An object with these members; `?` marks an optional member. */
export function object(members: Readonly<Record<string, JsonSchema>>, more: JsonSchema = {}): JsonSchema {
  const plain = (name: string) => name.replace('?', '');
  const required = Object.keys(members).filter((name) => !name.endsWith('?'));
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(members).map(([name, schema]) => [plain(name), schema])),
    ...(required.length > 0 && { required }),
    ...more,
  };
}

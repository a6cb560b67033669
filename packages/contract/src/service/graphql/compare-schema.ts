import { rejections } from '../check/internal/variance.js';
import type { JsonSchema, Schemas, ServiceContract } from '../contract.js';
import { byName } from '../internal/canonical.js';
import { parseSdl, type SdlField, type SdlSchema, type SdlType } from './internal/sdl.js';

/** A difference between a schema file of GraphQL and the registered fields. */
export interface SchemaDifference {
  /** `differs`: the resolver or its client fails; `unserved`: no resolver of this service. */
  readonly level: 'differs' | 'unserved';
  /** The field, `Query.note`. */
  readonly field: string;
  /** Both sides, in words. */
  readonly problem: string;
}

/** Types whose fields are the entries of an API. */
const ROOTS = ['Query', 'Mutation', 'Subscription'];
/** Changes of types and members; a resolver may have narrower bounds, patterns and formats than a schema file can state. */
const CHANGES: ReadonlySet<string> = new Set([
  'type',
  'union',
  'enum',
  'required',
  'required-added',
  'removed',
  'closed',
]);

/**
 * Compares a schema file with the registered fields and their `args` and `result`: fields that the file does not have, arguments and results
 * of other types, and fields of `Query`, `Mutation` and `Subscription` that this service does not resolve. All differences, in order.
 */
export function compareGraphqlSchema(contract: ServiceContract, file: string): readonly SchemaDifference[] {
  const sdl = parseSdl(file);
  const registered = Object.entries(contract.field).sort(([a], [b]) => byName(a, b));
  const differences = registered.flatMap(([field, { input, output }]) => {
    const [type = '', name = ''] = field.split('.');
    const fields = sdl.objects.get(type);
    const stated = fields?.get(name);
    const differs = (problem: string): SchemaDifference => ({ level: 'differs', field, problem });
    if (!fields) return [differs(`the schema file has no type ${type}`)];
    if (!stated) return [differs(`the schema file has no field ${name} in ${type}`)];
    return [
      ...changesOf(
        { schema: argsOf(stated.args), schemas: schemasOf(sdl, contract, 'input') },
        { schema: input, schemas: contract.schemas },
        'args',
        false,
      ),
      ...changesOf(
        { schema: output, schemas: contract.schemas },
        { schema: typeSchema(stated.type, 'output'), schemas: schemasOf(sdl, contract, 'output') },
        'result',
        true,
      ),
    ].map(differs);
  });
  const unserved = ROOTS.flatMap((root) =>
    [...(sdl.objects.get(root)?.keys() ?? [])]
      .map((name) => `${root}.${name}`)
      .filter((field) => !Object.hasOwn(contract.field, field)),
  );
  const missing = unserved.map(
    (field): SchemaDifference => ({ level: 'unserved', field, problem: 'no function registers it' }),
  );
  return [...differences, ...missing];
}

type Place = Parameters<typeof rejections>[0];

function changesOf(sent: Place, received: Place, path: string, isOutput: boolean): readonly string[] {
  const [resolver, file] = isOutput ? (['sent', 'received'] as const) : (['received', 'sent'] as const);
  return rejections(sent, received, path, isOutput)
    .filter(
      (one) =>
        CHANGES.has(one.change) &&
        one.level === 'breaks' &&
        !isOpen(one.sent) &&
        !isNarrowedText(one.sent, one.received),
    )
    .map((one) => `${one.path}: ${one[file]} in the schema file, ${one[resolver]} in the resolver`);
}

/** A scalar of the application, and a result without a schema, are not compared. */
const isOpen = (sent: string) => sent === 'any';

/** A resolver that accepts some strings validates its argument: the type in the schema file can be `String`. */
const isNarrowedText = (sent: string, received: string) =>
  sent === 'string' && received.split(' | ').every((one) => one.startsWith('"'));

type Side = 'input' | 'output';

const SCALARS: Readonly<Record<string, JsonSchema>> = {
  Boolean: { type: 'boolean' },
  Float: { type: 'number' },
  Int: { type: 'integer' },
  String: { type: 'string' },
  AWSTimestamp: { type: 'integer' },
};
/** Scalars of AppSync that are strings: https://docs.aws.amazon.com/appsync/latest/devguide/scalars.html */
const TEXTS = ['AWSDate', 'AWSDateTime', 'AWSTime', 'AWSEmail', 'AWSURL', 'AWSPhone', 'AWSIPAddress'];

/** A scalar, or a reference; other scalars are not compared. */
function namedSchema(name: string, side: Side): JsonSchema {
  if (name === 'ID') return { type: side === 'input' ? 'string' : ['string', 'integer'] };
  if (TEXTS.includes(name)) return { type: 'string' };
  return SCALARS[name] ?? { $ref: `#/schemas/${name}` };
}

/** A result may be null where the file allows it; an argument that is not required is left out. */
function typeSchema({ name = '', of, isRequired }: SdlType, side: Side): JsonSchema {
  const plain = of ? { type: 'array', items: typeSchema(of, side) } : namedSchema(name, side);
  return isRequired || side === 'input' ? plain : { anyOf: [plain, { type: 'null' }] };
}

function objectSchema(fields: ReadonlyMap<string, SdlField>, side: Side): JsonSchema {
  const entries = [...fields];
  const isRequired = ({ type, hasDefault }: SdlField) => type.isRequired || (side === 'input' && hasDefault);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, { type }]) => [name, typeSchema(type, side)])),
    required: entries.flatMap(([name, field]) => (isRequired(field) ? [name] : [])),
    ...(side === 'input' && { additionalProperties: false }),
  };
}

const argsOf = (args: ReadonlyMap<string, SdlField>) => objectSchema(args, 'input');

/** The types of the file as schemas. A field with a separate resolver is not part of the result of its parent. */
function schemasOf({ objects, enums }: SdlSchema, { field }: ServiceContract, side: Side): Schemas {
  const own = (type: string, fields: ReadonlyMap<string, SdlField>) =>
    new Map([...fields].filter(([name]) => side === 'input' || !Object.hasOwn(field, `${type}.${name}`)));
  return {
    ...Object.fromEntries([...objects].map(([name, fields]) => [name, objectSchema(own(name, fields), side)])),
    ...Object.fromEntries([...enums].map(([name, values]) => [name, { enum: values }])),
  };
}

/**
 * The schemas of an AWS SDK package: what it exports under names that end with `$`. An operation is
 * `[9, namespace, name, traits, input, output]`, a structure `[3, namespace, name, traits, members, types, required]`; a simple
 * type is a number.
 */
type Schema = number | readonly unknown[] | (() => Schema);

/** One operation of a service, as its SDK describes it. */
export interface Operation {
  readonly name: string;
  readonly method: string;
  /** Parts of the path; labels are in braces. */
  readonly path: readonly string[];
  readonly status: number;
  readonly input: Structure;
}

/** A structure of the model. */
export interface Structure {
  readonly members: ReadonlyMap<string, Member>;
  readonly required: ReadonlySet<string>;
}

/** A member and its place in a request. */
export interface Member {
  readonly schema: Schema;
  readonly place: 'body' | 'label' | 'query' | 'header' | 'payload';
  /** The name of a query parameter or header. */
  readonly wire: string;
}

const OPERATION = 9;
const STRUCTURE = 3;
const UNION = 4;
const LIST = 1;
const MAP = 2;
/** Added to the number of a simple type. */
const LIST_OF = 64;
const MAP_OF = 128;
/** Traits as bits. */
const LABEL = 1;
const PAYLOAD = 16;

/** All operations of an SDK package. */
export function operationsOf(sdk: object): readonly Operation[] {
  return Object.values(sdk).flatMap((schema: unknown) => {
    if (!Array.isArray(schema) || schema[0] !== OPERATION) return [];
    const [, , name, traits, input] = schema as [number, string, string, { http?: [string, string, number] }, Schema];
    // Operations of the protocol awsJson1.1 have no path: the header `x-amz-target` names them.
    const [method, path, status] = (typeof traits === 'object' ? traits.http : undefined) ?? ['POST', `/${name}`, 200];
    return [{ name, method, path: path.split('/'), status, input: structureOf(input) }];
  });
}

function resolve(schema: Schema): number | readonly unknown[] {
  return typeof schema === 'function' ? resolve(schema()) : schema;
}

function structureOf(schema: Schema): Structure {
  const resolved = resolve(schema);
  const [, , , , names = [], types = [], required = 0] = Array.isArray(resolved)
    ? (resolved as [number, string, string, object, string[], Schema[], number])
    : [];
  return {
    members: new Map(names.map((name, at) => [name, memberOf(name, types[at] as Schema)])),
    required: new Set(names.slice(0, required)),
  };
}

/** A member whose type has traits is a pair of both. */
function memberOf(name: string, type: Schema): Member {
  if (!Array.isArray(type) || type.length !== 2) return { schema: type, place: 'body', wire: name };
  const [schema, traits] = type as [Schema, number | { httpQuery?: string; httpHeader?: string }];
  if (typeof traits === 'object') {
    if (traits.httpQuery !== undefined) return { schema, place: 'query', wire: traits.httpQuery };
    if (traits.httpHeader !== undefined) return { schema, place: 'header', wire: traits.httpHeader.toLowerCase() };
    return { schema, place: 'body', wire: name };
  }
  if ((traits & PAYLOAD) !== 0) return { schema, place: 'payload', wire: name };
  return { schema, place: (traits & LABEL) !== 0 ? 'label' : 'body', wire: name };
}

/** Describes the error in a JSON body as a sentence with the member's path; `undefined` if the body matches its structure. */
export function bodyProblem(body: unknown, { members, required }: Structure, path = ''): string | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return `${path || 'the body'} must be an object`;
  for (const [name, value] of Object.entries(body)) {
    const member = members.get(name);
    if (member === undefined) return `${path}${name} is not in the model`;
    const problem = valueProblem(value, member.schema, path + name);
    if (problem !== undefined) return problem;
  }
  const missing = [...required].find((name) => members.get(name)?.place === 'body' && !Object.hasOwn(body, name));
  return missing === undefined ? undefined : `${path}${missing} is required`;
}

function valueProblem(value: unknown, schema: Schema, path: string): string | undefined {
  const type = resolve(schema);
  if (typeof type === 'number') return simpleProblem(value, type, path);
  const [kind, , , , element] = type as [number, string, string, object, Schema];
  if (kind === STRUCTURE || kind === UNION) return bodyProblem(value, structureOf(type), `${path}.`);
  // Elements with traits are pairs too.
  if (kind === LIST) return listProblem(value, memberOf('', element).schema, path);
  return kind === MAP ? undefined : valueProblem(value, element, path);
}

function listProblem(value: unknown, element: Schema, path: string): string | undefined {
  if (!Array.isArray(value)) return `${path} must be a list`;
  const wanted = SIMPLE[Number(element)];
  // Vectors are long: no path is built for a valid number.
  if (wanted !== undefined && value.every((item) => typeof item === wanted)) return undefined;
  for (const [at, item] of value.entries()) {
    const problem = valueProblem(item, element, `${path}[${at}]`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Simple types that are checked: strings, numbers, booleans. Documents (15) and other types are passed unchanged. */
const SIMPLE: Readonly<Record<number, string>> = { 0: 'string', 1: 'number', 2: 'boolean' };

function simpleProblem(value: unknown, type: number, path: string): string | undefined {
  if (type >= MAP_OF) return undefined;
  if (type >= LIST_OF) return listProblem(value, type - LIST_OF, path);
  const wanted = SIMPLE[type];
  return wanted === undefined || typeof value === wanted ? undefined : `${path} must be a ${wanted}`;
}

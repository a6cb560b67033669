import { isObject, membersOf } from '@sallyport/core/internal';
import type { GraphQLInputType } from 'graphql';
import type { Config, SourcesConfig, TableConfig } from '../config/config.js';
import type { SendForm } from '../console/api.js';
import { type LoadedSchema, loadSchema } from '../doors/graphql-schema.js';
import type { FunctionAccess } from '../host/host.js';
import type { Inspection, TriggerView } from '../inspect/inspection.js';
import { PATH_PARAMETER } from './path-parameters.js';
import { sampleOf } from './sample.js';

type Samples = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The field with the payload, of the kinds whose handlers can have a schema. */
const PAYLOAD_FIELDS: Readonly<Record<string, string>> = {
  queue: 'body',
  stream: 'json',
  topic: 'message',
  'event-bus': 'detail',
};

/** The run, as samples use it. */
export interface SampledRun extends Pick<FunctionAccess, 'inspection'> {
  readonly config: Pick<Config, 'schema' | 'sources'>;
  /** Inputs of `CreateTable`. */
  readonly tables: readonly TableConfig[];
}

/** Adds samples to forms: of the OpenAPI document, of the GraphQL schema, of keys of tables, and of the schemas of payloads. */
export async function withSamples(
  forms: readonly SendForm[],
  { config, inspection, tables }: SampledRun,
): Promise<readonly SendForm[]> {
  const described = inspection();
  const [http, appsync] = await Promise.all([httpSamples(described), graphqlSamples(config.schema)]);
  const known: Readonly<Record<string, Samples>> = {
    http,
    appsync,
    websocket: messageSamples(described),
    schedule: scheduleSamples(described, config.sources),
    'table-stream': changeSamples(tables),
  };
  return forms.map((form) => {
    const samples = known[form.kind] ?? payloadSamples(form, described);
    return Object.keys(samples).length === 0 ? form : { ...form, samples };
  });
}

const toText = (value: unknown) => JSON.stringify(value, null, 2);

/** The path parameters and JSON bodies of operations, by `POST /notes`. */
async function httpSamples(inspection: Inspection): Promise<Samples> {
  const document = membersOf(await inspection.openapi().catch(() => null));
  const operations = Object.entries(membersOf(document.paths)).flatMap(([path, item]) =>
    Object.entries(membersOf(item)).map(
      ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
    ),
  );
  return Object.fromEntries(
    operations.flatMap(([target, operation]) => {
      const content = membersOf(membersOf(membersOf(operation).requestBody).content)['application/json'];
      const { schema, example } = membersOf(content);
      const samples = {
        pathParameters: pathSamples(target, operation, document),
        json: example ?? (schema === undefined ? undefined : sampleOf(schema, document)),
      };
      const fields = Object.entries(samples).flatMap(([name, sample]) =>
        sample === undefined ? [] : [[name, toText(sample)]],
      );
      return fields.length === 0 ? [] : [[target, Object.fromEntries(fields)]];
    }),
  );
}

/** A value for each parameter of a path; `undefined` for a path without parameters. */
function pathSamples(target: string, operation: unknown, document: unknown): object | undefined {
  const { parameters } = membersOf(operation);
  const described = Array.isArray(parameters) ? parameters.map(membersOf) : [];
  const samples = [...target.matchAll(PATH_PARAMETER)].map(([, name = '']) => {
    const { schema, example } = described.find((one) => one.in === 'path' && one.name === name) ?? {};
    return [name, String(example ?? sampleOf(schema ?? { type: 'string' }, document))];
  });
  return samples.length === 0 ? undefined : Object.fromEntries(samples);
}

/** The payloads of registrations, by name; of a bus for each selector, which its events must match. */
function payloadSamples({ kind }: SendForm, { triggers }: Inspection): Samples {
  const field = PAYLOAD_FIELDS[kind];
  if (field === undefined) return {};
  const own = triggers.filter((trigger) => trigger.kind === kind && scheduleOf(trigger) === undefined);
  const samples = own.flatMap(({ name, selector, payload }): [string, Readonly<Record<string, string>>][] => {
    const body = payload === undefined ? {} : { [field]: toText(sampleOf(payload)) };
    if (kind !== 'event-bus') return payload === undefined ? [] : [[name, body]];
    const named = Object.fromEntries(
      ['source', 'detailType'].flatMap((key) => (selector?.[key] ? [[key, selector[key]]] : [])),
    );
    return [[JSON.stringify(selector ?? {}), { ...body, ...named }]];
  });
  const [first] = samples;
  return Object.fromEntries([...samples, ...(kind === 'event-bus' && first ? [['default', first[1]] as const] : [])]);
}

/** The name of the schedule that a registration selects; `undefined` for other selectors. */
function scheduleOf({ selector }: TriggerView): string | undefined {
  return selector?.scheduleName ?? selector?.ruleName;
}

/** The messages of WebSocket routes, by route key. */
function messageSamples({ routes }: Inspection): Samples {
  return Object.fromEntries(
    routes.flatMap(({ surface, name, payload }) =>
      surface === 'websocket' && payload !== undefined ? [[name, { body: toText(sampleOf(payload)) }]] : [],
    ),
  );
}

/** The inputs of schedules, by name: of `sallyport.json`, else of the schema of the handler. */
function scheduleSamples({ triggers }: Inspection, { schedules = {} }: SourcesConfig): Samples {
  const described = triggers.flatMap((trigger): [string, unknown][] => {
    const name = scheduleOf(trigger);
    return name === undefined || trigger.payload === undefined ? [] : [[name, sampleOf(trigger.payload)]];
  });
  const given = Object.entries(schedules).flatMap(([name, { input }]: [string, { readonly input?: unknown }]) =>
    input === undefined ? [] : [[name, input] as const],
  );
  return Object.fromEntries([...described, ...given].map(([name, detail]) => [name, { detail: toText(detail) }]));
}

/** The changes of tables, by name: a new item that has only its key. */
function changeSamples(tables: readonly TableConfig[]): Samples {
  return Object.fromEntries(
    tables.map(({ TableName, KeySchema, AttributeDefinitions }) => {
      const types = new Map(listOf(AttributeDefinitions).map((one) => [one.AttributeName, one.AttributeType]));
      const names = listOf(KeySchema).map((one) => String(one.AttributeName));
      const keys = toText(Object.fromEntries(names.map((name) => [name, types.get(name) === 'N' ? 1 : 'text'])));
      return [TableName, { eventName: 'INSERT', keys, newImage: keys }];
    }),
  );
}

const listOf = (value: unknown) => (Array.isArray(value) ? value : []).map(membersOf);

/** The arguments of the fields of a GraphQL API, by `Query.note`. */
async function graphqlSamples(file: string | undefined): Promise<Samples> {
  const loaded = file === undefined ? undefined : await loadSchema(file).catch(() => undefined);
  if (!loaded) return {};
  const { schema } = loaded;
  const types = [schema.getQueryType(), schema.getMutationType()].filter((type) => type !== null && type !== undefined);
  return Object.fromEntries(
    types.flatMap((type) =>
      Object.values(type.getFields()).flatMap(({ name, args }) => {
        if (args.length === 0) return [];
        const values = args.map((one) => [one.name, one.defaultValue ?? inputSample(loaded, one.type, 0)]);
        return [[`${type.name}.${name}`, { arguments: toText(Object.fromEntries(values)) }]];
      }),
    ),
  );
}

/** Values of scalars; AppSync defines those with `AWS`: https://docs.aws.amazon.com/appsync/latest/devguide/scalars.html */
const SCALARS: Readonly<Record<string, unknown>> = {
  Int: 1,
  Float: 1.5,
  Boolean: true,
  ID: '1',
  AWSDate: '2026-01-31',
  AWSTime: '12:00:00.000Z',
  AWSDateTime: '2026-01-31T12:00:00.000Z',
  AWSTimestamp: 1_769_860_800,
  AWSEmail: 'ada@example.com',
  AWSJSON: '{}',
  AWSURL: 'https://example.com/',
  AWSPhone: '+44 20 7946 0000',
  AWSIPAddress: '203.0.113.1',
};
const MAX_DEPTH = 6;

function inputSample(loaded: LoadedSchema, type: GraphQLInputType, depth: number): unknown {
  const { graphql } = loaded;
  if (depth > MAX_DEPTH) return null;
  if (graphql.isNonNullType(type)) return inputSample(loaded, type.ofType, depth);
  if (graphql.isListType(type)) return [inputSample(loaded, type.ofType, depth + 1)];
  if (graphql.isEnumType(type)) return type.getValues()[0]?.name ?? null;
  if (!graphql.isInputObjectType(type)) return SCALARS[type.name] ?? 'text';
  const fields = Object.values(type.getFields());
  return Object.fromEntries(
    fields.map((field) => [field.name, field.defaultValue ?? inputSample(loaded, field.type, depth + 1)]),
  );
}

/** The options that the samples of a form make for a target; `undefined` if the target has no sample. */
export function sampleOptions(form: SendForm, target: string): Readonly<Record<string, unknown>> | undefined {
  const samples = form.samples !== undefined && Object.hasOwn(form.samples, target) ? form.samples[target] : undefined;
  if (!isObject(samples)) return undefined;
  return Object.fromEntries(
    Object.entries(samples).map(([name, text]) => {
      const isJson = form.fields.find((field) => field.name === name)?.type === 'json';
      return [name, isJson ? (JSON.parse(String(text)) as unknown) : text];
    }),
  );
}

import type { TRIGGER_KINDS } from '@sallyport/core';
import { CATALOGUE, type CatalogueEntry, samplesFor } from '@sallyport/triggers/catalogue';
import type { SendForm } from '../console/api.js';
import type { Inspection } from '../inspect/inspection.js';
import type { SourceForm } from '../sources/source.js';
import { SOURCE_TYPES, type SourceKind } from '../sources/source-types.js';
import type { SourceView } from '../sources/sources.js';

type Fields = SourceForm['fields'];

const HTTP_FIELDS: Fields = {
  pathParameters: ['json', 'an object'],
  headers: ['map', 'name: value, one per line'],
  query: ['map', 'name: value, one per line'],
  cookies: ['list', 'name=value, one per line'],
  json: ['json', 'sets the body and its type'],
  body: ['text', 'instead of json'],
};

type FrontDoor = 'gateway-v2' | 'function-url' | 'load-balancer' | 'gateway-v1';

/**
 * Every kind of the fixed table has a form, and the front doors share one. The forms of sources come from their services, those of opt-in
 * triggers from their catalogue.
 */
type FormKind =
  | Exclude<(typeof TRIGGER_KINDS)[number], FrontDoor | SourceKind>
  | 'http'
  | 'log-subscription'
  | 'edge'
  | 'event';

/** The builder options that the form shows. Builder defaults set the other options. */
const FORMS: Readonly<Record<FormKind, SourceForm>> = {
  http: { label: 'HTTP request', target: 'method and path', fields: HTTP_FIELDS },
  websocket: {
    label: 'WebSocket message',
    target: 'route key',
    fields: {
      body: ['json', 'the message'],
      headers: ['map', 'of the handshake, name: value'],
      connectionId: ['text', 'of an open connection'],
    },
  },
  appsync: {
    label: 'GraphQL field',
    target: 'type and field',
    fields: {
      arguments: ['json', 'an object'],
      identity: ['json', 'as AppSync passes it'],
      source: ['json', 'the parent, an object'],
      headers: ['map', 'name: value, one per line'],
    },
  },
  'log-subscription': {
    label: 'Log subscription',
    target: 'stream',
    fields: { logGroup: ['text', '/aws/lambda/orders'], messages: ['list', 'log lines, one per line'] },
  },
  edge: {
    label: 'CloudFront (Lambda@Edge)',
    target: 'event type',
    fields: {
      method: ['text', 'GET'],
      uri: ['text', '/index.html'],
      headers: ['map', 'name: value, one per line'],
      status: ['text', 'of a response, 200'],
    },
  },
  event: { label: 'Any event', target: '', fields: { event: ['json', 'as AWS sends it'] } },
};

/** The forms of all kinds that can be sent, with the targets that the function registers. */
export function formsOf(inspection: Inspection, sources: readonly SourceView[]): readonly SendForm[] {
  const ofSources = SOURCE_TYPES.flatMap(({ kind, form }): readonly [string, SourceForm][] =>
    form ? [[kind, form]] : [],
  );
  const { http, websocket, appsync, ...others } = FORMS;
  const all = Object.entries({ http, websocket, appsync, ...Object.fromEntries(ofSources), ...others });
  const fixed = all.map(([kind, { fields, ...form }]) => ({
    kind,
    ...form,
    targets: targetsOf(kind, inspection, sources),
    fields: Object.entries(fields).map(([name, [type, wanted]]) => ({
      name,
      type,
      wanted,
      required: name === 'event',
    })),
  }));
  return [
    ...fixed,
    ...Object.values<CatalogueEntry>(CATALOGUE).map((entry) => triggerForm(entry, inspection, sources)),
  ];
}

/** The event of an opt-in trigger, which begins as its sample for the first registered name. */
function triggerForm(entry: CatalogueEntry, inspection: Inspection, sources: readonly SourceView[]): SendForm {
  const { kind, docs, sample } = entry;
  const names = targetsOf(kind, inspection, sources);
  const [event] = samplesFor(entry, names[0]);
  const field = { name: 'event', type: 'json', wanted: 'as AWS sends it', required: true } as const;
  return {
    kind,
    label: docs.section,
    target: '',
    targets: names,
    ...(sample.alias !== undefined && { aliases: names.length > 0 ? names : [sample.alias] }),
    fields: [{ ...field, sample: JSON.stringify(event, null, 2) }],
  };
}

/** The event types of CloudFront. */
const EDGE_TYPES = ['viewer-request', 'origin-request', 'origin-response', 'viewer-response'];

function targetsOf(kind: string, { routes, triggers }: Inspection, sources: readonly SourceView[]): readonly string[] {
  if (kind === 'edge') return EDGE_TYPES;
  const surface = routes.filter((route) => route.surface === kind).map(({ name }) => name);
  const wanted = kind === 'log-subscription' ? 'stream' : kind;
  const registered = triggers.filter((trigger) => trigger.kind === wanted).map(({ name }) => name);
  const known = sources.filter((source) => source.kind === wanted).map(({ name }) => name);
  return [...new Set([...surface, ...registered, ...known])].filter((name) => name !== '');
}

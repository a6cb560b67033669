import { OPTIONAL_PARTS, type OptionalPart } from '@sallyport/bundle';
import type { Fixture, Registration, Step } from '@sallyport/contract';
import { detect } from '@sallyport/dispatch';

const EVENTS = ['queue', 'table-stream', 'stream', 'topic', 'event-bus'];

/** The part that serves a kind of event. */
function partOfKind(kind: string): readonly OptionalPart[] {
  if (EVENTS.includes(kind)) return ['events'];
  if (kind === 'appsync') return ['graphql'];
  return OPTIONAL_PARTS.filter((part) => part === kind);
}

/** The options that belong to a part, as fixtures write them. */
const OPTIONS: Readonly<Record<string, OptionalPart>> = {
  stream_failure_identifier: 'events',
  queue_concurrency: 'events',
  batch_concurrency: 'graphql',
  batch_result: 'graphql',
  error_mode: 'graphql',
  web_socket_support: 'websocket',
  web_socket_endpoint: 'websocket',
  surfaces: 'surfaces',
  cors: 'cors',
  on_error: 'hooks',
  not_found: 'hooks',
  on_response: 'hooks',
  observability: 'observability',
};

/** Calls that need a part. */
const CALLS: Readonly<Record<string, readonly OptionalPart[]>> = {
  explain: ['explain'],
  openapi: ['openapi'],
  durable_record_execution: ['events', 'surfaces', 'observability'],
  // They send their requests through a function URL.
  oauth_bearer: ['function-url'],
  oauth_token_steps: ['function-url'],
  serve_queue: ['events'],
  serve_table_stream: ['events'],
  serve_stream: ['events'],
  serve_kinesis: ['events'],
  serve_topic: ['events'],
  serve_eventbus: ['events'],
  serve_appsync: ['graphql'],
  serve_websocket: ['websocket'],
  serve_apigw_v2: ['gateway-v2'],
  serve_lambda_function_url: ['function-url'],
  serve_alb: ['load-balancer'],
  serve_apigw_proxy: ['gateway-v1'],
};

function partsOfRegistration({ surface }: Registration): readonly OptionalPart[] {
  if (['http', 'mcp'].includes(surface)) return [];
  if (surface === 'appsync' || surface === 'appsync-batch') return ['graphql'];
  if (surface === 'websocket') return ['websocket'];
  // Opt-in triggers need the rows of the detection table, and the code of events.
  return EVENTS.includes(surface) ? ['events'] : ['surfaces', 'events'];
}

function partsOfStep({ call, event }: Step): readonly OptionalPart[] {
  const named = CALLS[call] ?? [];
  if (event === undefined || named.length > 0) return named;
  try {
    return partOfKind(detect(event));
  } catch {
    // The error of an unknown event has the explanation as its details.
    return ['explain'];
  }
}

/** The parts of the framework that a fixture needs, named by its registrations, options, calls and events. */
export function partsOf({ setup, input }: Fixture): ReadonlySet<OptionalPart> {
  const { register = [], options = {}, event_middlewares: middlewares = [] } = setup;
  const named = JSON.stringify(setup);
  return new Set<OptionalPart>([
    ...register.flatMap(partsOfRegistration),
    ...Object.keys(options).flatMap((name) => OPTIONS[name] ?? []),
    // The environment of tests records with its hooks.
    ...(setup.container === 'open' || setup.container === 'secure' ? (['observability'] as const) : []),
    ...(middlewares.length > 0 ? (['events'] as const) : []),
    ...(/"(?:use":"|handler":")[a-z_]*form\b/.test(named) ? (['forms'] as const) : []),
    ...input.steps.flatMap(partsOfStep),
  ]);
}

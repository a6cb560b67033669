import type { JsonObject } from '@sallyport/contract';
import { renameKeys, toCamel } from '../casing.js';
import type { World } from '../world.js';
import { callExport } from './streams.js';

type Args = Readonly<Record<string, unknown>>;

/** A portable function: its module, its name there, and its arguments in order. */
interface PortableFunction {
  readonly load: () => Promise<object>;
  readonly name: string;
  readonly arguments: (args: Args, world: World) => readonly unknown[];
}

const streams = () => import('@sallyport/streams');
const core = () => import('@sallyport/core/internal');
const observability = () => import('@sallyport/core/observability');
const sanitizer = () => import('./sanitizer.js');
const openApi = () => import('@sallyport/http/openapi');
const objects = () => import('./objects.js');
const quota = () => import('./quota.js');
const ledger = () => import('./ledger.js');
const environment = () => import('./environment.js');
const durable = () => import('./durable.js');
const vectors = () => import('./vectors.js');
const microvm = () => import('./microvm.js');
const mcpRoutes = () => import('./mcp-routes.js');
const mcpOAuth = () => import('./mcp-oauth.js');
const mcpFacade = () => import('./mcp-facade.js');

/** The context members that an event helper reads: the invocation's clock, ids and Lambda context. */
function contextOf(args: Args, { env }: World): object {
  const { request_id = '', remaining_ms } = (args.context ?? {}) as JsonObject;
  const lambdaContext =
    args.lambda === undefined ? undefined : env.lambdaContext(lambdaOptions(args.lambda as JsonObject));
  return {
    requestId: request_id,
    remainingMs: Number(remaining_ms ?? lambdaContext?.getRemainingTimeInMillis() ?? 0),
    lambdaContext,
    now: () => env.clock.now(),
    newId: () => env.ids.newId(),
  };
}

function lambdaOptions({ request_id, remaining_ms }: JsonObject): object {
  return {
    ...(request_id !== undefined && { requestId: request_id }),
    ...(remaining_ms !== undefined && { remainingMs: remaining_ms }),
  };
}

/** Portable functions by the name that fixtures use. */
export type PortableFunctions = Readonly<Record<string, PortableFunction>>;

/** By the name that fixtures use. An argument object's keys are snake_case. */
export const FUNCTIONS: PortableFunctions = {
  event_bus_envelope: {
    load: streams,
    name: 'eventBusEnvelope',
    arguments: (args, world) => [args.event, contextOf(args, world)],
  },
  require_event_bus_envelope: {
    load: streams,
    name: 'requireEventBusEnvelope',
    arguments: (args, world) => [args.event, contextOf(args, world)],
  },
  scheduled_summary: {
    load: streams,
    name: 'scheduledSummary',
    arguments: (args, world) => [args.event, contextOf(args, world), args.result],
  },
  table_stream_summary: { load: streams, name: 'tableStreamSummary', arguments: ({ record }) => [record] },
  decode_log_subscription: {
    load: streams,
    name: 'decodeCloudWatchLogsSubscription',
    arguments: ({ record }) => [record],
  },
  create_kinesis_json_record: {
    load: streams,
    name: 'createKinesisJsonRecord',
    arguments: ({ partition_key, payload, explicit_hash_key, max_data_bytes }) => [
      {
        partitionKey: partition_key,
        payload,
        ...(explicit_hash_key !== undefined && { explicitHashKey: explicit_hash_key }),
        ...(max_data_bytes !== undefined && { maxDataBytes: max_data_bytes }),
      },
    ],
  },
  report_kinesis_put_records_failures: {
    load: streams,
    name: 'reportKinesisPutRecordsFailures',
    arguments: ({ records, results }) => [(records as JsonObject[]).map(toKinesisRecord), results],
  },
  sanitize_value: {
    load: sanitizer,
    name: 'sanitizeValue',
    arguments: ({ value, keep_keys }) => [value, keep_keys],
  },
  sanitize_field_value: {
    load: observability,
    name: 'sanitizeFieldValue',
    arguments: ({ key, value }) => [key, value],
  },
  sanitize_json: { load: observability, name: 'sanitizeJson', arguments: ({ text, options }) => [text, options] },
  sanitize_xml: { load: observability, name: 'sanitizeXml', arguments: ({ text, patterns }) => [text, patterns] },
  scrub_free_text: {
    load: sanitizer,
    name: 'scrubFreeText',
    arguments: ({ text, keep_keys }) => [text, keep_keys],
  },
  sanitize_log_string: { load: observability, name: 'sanitizeLogString', arguments: ({ text }) => [text] },
  encode_safe_value: { load: observability, name: 'encodeSafeValue', arguments: ({ text }) => [text] },
  mask_card: { load: observability, name: 'maskCard', arguments: ({ value }) => [value] },
  mask_restricted: { load: observability, name: 'maskRestricted', arguments: ({ value }) => [value] },
  mask_first_last: {
    load: observability,
    name: 'maskFirstLast',
    arguments: ({ value, first, last }) => [value, first, last],
  },
  mask_first_last_4: { load: observability, name: 'maskFirstLast4', arguments: ({ value }) => [value] },
  normalize_stage: { load: observability, name: 'normalizeStage', arguments: ({ stage }) => [stage] },
  name_part: { load: observability, name: 'namePart', arguments: ({ text }) => [text] },
  base_name: { load: observability, name: 'baseName', arguments: ({ app, stage, tenant }) => [app, stage, tenant] },
  resource_name: {
    load: observability,
    name: 'resourceName',
    arguments: ({ app, resource, stage, tenant, max_length }) => [
      app,
      resource,
      stage,
      tenant,
      ...(max_length === undefined ? [] : [{ maxLength: max_length }]),
    ],
  },
  fingerprint_credential: { load: quota, name: 'fingerprint', arguments: (args) => [args] },
  rate_limit_headers: { load: quota, name: 'headers', arguments: (args) => [args] },
  rate_limit_item_key: { load: quota, name: 'itemKey', arguments: (args) => [args] },
  rate_limit_policy: { load: quota, name: 'policy', arguments: (args) => [args] },
  rate_limit_source_identifier: { load: quota, name: 'sourceIdentifier', arguments: (args) => [args] },
  rate_limit_decisions: { load: quota, name: 'decisions', arguments: (args) => [args] },
  object_limits: { load: objects, name: 'limits', arguments: () => [] },
  object_refs: { load: objects, name: 'parseRefs', arguments: (args) => [args] },
  object_ref_texts: { load: objects, name: 'formatRefs', arguments: (args) => [args] },
  object_encryptions: { load: objects, name: 'encryptions', arguments: (args) => [args] },
  object_store_steps: { load: objects, name: 'storeSteps', arguments: (args) => [args] },
  object_upload_grants: { load: objects, name: 'grants', arguments: (args) => [args] },
  object_artifact_digests: { load: objects, name: 'digests', arguments: (args) => [args] },
  object_artifacts: { load: objects, name: 'artifacts', arguments: (args) => [args] },
  object_assumed_roles: { load: objects, name: 'assume', arguments: (args) => [args] },
  generate_openapi: { load: openApi, name: 'generateOpenAPI', arguments: (args) => [renameKeys(args, toCamel)] },
  generate_openapi_json: {
    load: openApi,
    name: 'generateOpenAPIJSON',
    arguments: (args) => [renameKeys(args, toCamel)],
  },
  ledger_steps: { load: ledger, name: 'ledgerSteps', arguments: (args) => [args] },
  event_bus_steps: { load: ledger, name: 'eventBusSteps', arguments: (args) => [args] },
  error_envelope: { load: ledger, name: 'errorEnvelope', arguments: (args) => [args] },
  table_of: { load: environment, name: 'tableOf', arguments: (args) => [args] },
  error_notifications: { load: environment, name: 'errorNotifications', arguments: (args) => [args] },
  durable_execution_names: { load: durable, name: 'executionNames', arguments: ({ keys }) => [keys] },
  durable_record_execution: {
    load: durable,
    name: 'recordExecution',
    arguments: ({ queue_arn, message_id }) => [queue_arn, message_id],
  },
  vector_limits: { load: vectors, name: 'limits', arguments: () => [] },
  vector_validate: { load: vectors, name: 'validate', arguments: (args) => [args] },
  vector_top_k: { load: vectors, name: 'topK', arguments: (args) => [args] },
  vector_embedding_codes: { load: vectors, name: 'embeddingCodes', arguments: (args) => [args] },
  vector_store_steps: { load: vectors, name: 'storeSteps', arguments: (args) => [args] },
  vector_put_sizes: { load: vectors, name: 'putSizes', arguments: (args) => [args] },
  vector_sent_filter: { load: vectors, name: 'sentFilter', arguments: (args) => [args] },
  vector_embed: { load: vectors, name: 'embed', arguments: (args) => [args] },
  vector_tenant_steps: { load: vectors, name: 'tenantSteps', arguments: (args) => [args] },
  vector_semantic_steps: { load: vectors, name: 'semanticSteps', arguments: (args) => [args] },
  vector_from_environment: { load: vectors, name: 'fromEnvironment', arguments: (args) => [args] },
  microvm_vocabulary: { load: microvm, name: 'vocabulary', arguments: () => [] },
  microvm_steps: { load: microvm, name: 'microvmSteps', arguments: (args) => [args] },
  oauth_bearer: { load: mcpOAuth, name: 'bearer', arguments: (args) => [args] },
  oauth_bearer_urls: { load: mcpOAuth, name: 'bearerUrls', arguments: (args) => [args] },
  oauth_documents: { load: mcpOAuth, name: 'documents', arguments: (args) => [args] },
  oauth_pkce: { load: mcpOAuth, name: 'pkce', arguments: (args) => [args] },
  oauth_registrations: { load: mcpOAuth, name: 'registrations', arguments: (args) => [args] },
  oauth_token_steps: { load: mcpOAuth, name: 'tokenSteps', arguments: (args) => [args] },
  mcp_route_constants: { load: mcpRoutes, name: 'constants', arguments: () => [] },
  mcp_route_normalize: { load: mcpRoutes, name: 'normalize', arguments: (args) => [args] },
  mcp_route_derive: { load: mcpRoutes, name: 'derive', arguments: (args) => [args] },
  mcp_route_resource_paths: { load: mcpRoutes, name: 'resourcePaths', arguments: (args) => [args] },
  mcp_route_parse: { load: mcpRoutes, name: 'parse', arguments: (args) => [args] },
  mcp_route_build: { load: mcpRoutes, name: 'build', arguments: (args) => [args] },
  mcp_route_templates: { load: mcpRoutes, name: 'templates', arguments: () => [] },
  mcp_facade_register: { load: mcpFacade, name: 'register', arguments: (args) => [args] },
  mcp_facade_check: { load: mcpFacade, name: 'check', arguments: (args) => [args] },
  mcp_facade_answers: { load: mcpFacade, name: 'answers', arguments: (args) => [args] },
  canonical_ip: { load: core, name: 'canonicalIp', arguments: ({ text }) => [text] },
  parse_traceparent: { load: core, name: 'parseTraceparent', arguments: ({ value }) => [value] },
  parse_xray_trace_header: { load: core, name: 'parseXrayTraceHeader', arguments: ({ value }) => [value] },
};

/** A record that `create_kinesis_json_record` could have made: its bytes are given as base64 or as a string. */
function toKinesisRecord(record: JsonObject): object {
  const { data } = record;
  if (typeof data === 'string') return { ...record, data: Buffer.from(data) };
  const { base64 } = (data ?? {}) as JsonObject;
  return typeof base64 === 'string' ? { ...record, data: Buffer.from(base64, 'base64') } : record;
}

export async function callFunction(call: PortableFunction, args: Args, world: World): Promise<unknown> {
  return callExport(await call.load(), call.name, ...call.arguments(args, world));
}

/** Imports the modules of the functions and handlers, so that no fixture waits for a first import while its clock moves. */
export async function preload(): Promise<void> {
  await Promise.all([streams(), core(), observability(), import('@sallyport/http'), import('@sallyport/dispatch/app')]);
}

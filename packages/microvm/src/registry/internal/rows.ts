import { isObject } from '@sallyport/core/internal';
import type { Changes, Item, Key, Value } from '@sallyport/dynamo';
import { MICROVM_OPERATIONS, MICROVM_STATES } from '../../lifecycle/states.js';
import type {
  IdlePolicy,
  MicrovmBinding,
  PendingRequest,
  SessionChanges,
  SessionKey,
  SessionRecord,
  StartSetup,
} from '../registry.js';

const SESSION = 'SESSION#';
const DESIRED: readonly string[] = ['running', 'suspended', 'terminated'];
const ACTIONS: readonly string[] = [...MICROVM_OPERATIONS, 'sweep'];

/** The partition of a tenant and namespace. `%` and `#` in their names are escaped, so that a name cannot forge the key of another tenant. */
export function partitionOf({ tenantId, namespace }: MicrovmBinding): string {
  return `TENANT#${escapePart(tenantId)}#NAMESPACE#${escapePart(namespace)}`;
}

function escapePart(part: string): string {
  return part.replaceAll('%', '%25').replaceAll('#', '%23');
}

/** The sort key of a session. */
export function sortKeyOf(sessionId: string): string {
  return SESSION + sessionId;
}

/** The key of a row. */
export function keyOf(key: SessionKey): Key {
  return { pk: partitionOf(key), sk: sortKeyOf(key.sessionId) };
}

/** Stored form of a member of a record. A reader returns `undefined` for an invalid value. */
interface Column {
  readonly attribute: string;
  readonly required?: true;
  readonly write: (value: never) => Value;
  readonly read: (value: unknown) => unknown;
}

const asIs = (value: Value): Value => value;
const readString = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
const readInteger = (value: unknown) => (Number.isSafeInteger(value) ? value : undefined);
const readStrings = (value: unknown) =>
  Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined;
const oneOf = (values: readonly string[]) => (value: unknown) => (values.includes(value as string) ? value : undefined);
const writeTime = (ms: number) => new Date(ms).toISOString();
const readTime = (value: unknown) => {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
};
const readMap = (value: unknown) => (isObject(value) ? { ...value } : undefined);

function readIdlePolicy(value: unknown): IdlePolicy | undefined {
  const [auto, idle, suspended] = typeof value === 'string' ? value.split(':') : [];
  const policy = {
    autoResumeEnabled: auto === 'auto',
    maxIdleDurationSeconds: Number(idle),
    suspendedDurationSeconds: Number(suspended),
  };
  return Number.isSafeInteger(policy.maxIdleDurationSeconds + policy.suspendedDurationSeconds) ? policy : undefined;
}

const writeIdlePolicy = (policy: IdlePolicy) =>
  `${policy.autoResumeEnabled ? 'auto' : 'manual'}:${policy.maxIdleDurationSeconds}:${policy.suspendedDurationSeconds}`;

function readStartSetup(value: unknown): StartSetup | undefined {
  try {
    const setup = JSON.parse(value as string) as Partial<StartSetup> | null;
    return isObject(setup) && isObject(setup.logging) ? (setup as StartSetup) : undefined;
  } catch {
    return undefined;
  }
}

const TEXT = { write: asIs as (value: never) => Value, read: readString };
const NUMBER = { write: asIs as (value: never) => Value, read: readInteger };
const TIME = { write: writeTime as (value: never) => Value, read: readTime };
const TEXTS = { write: asIs as (value: never) => Value, read: readStrings };

/** Every member of a record and its attribute. */
const COLUMNS: Readonly<Record<keyof SessionRecord, Column>> = {
  tenantId: { attribute: 'tenant_id', required: true, ...TEXT },
  namespace: { attribute: 'namespace', required: true, ...TEXT },
  sessionId: { attribute: 'session_id', required: true, ...TEXT },
  version: { attribute: 'version', required: true, ...NUMBER },
  state: { attribute: 'state', required: true, ...TEXT, read: oneOf(MICROVM_STATES) },
  desiredState: { attribute: 'desired_state', required: true, ...TEXT, read: oneOf(DESIRED) },
  authSubject: { attribute: 'auth_subject', required: true, ...TEXT },
  imageRef: { attribute: 'image_ref', required: true, ...TEXT },
  imageVersion: { attribute: 'image_version', ...TEXT },
  maximumDurationSeconds: { attribute: 'maximum_duration_seconds', required: true, ...NUMBER },
  idlePolicy: { attribute: 'idle_policy', write: writeIdlePolicy as (value: never) => Value, read: readIdlePolicy },
  metadata: { attribute: 'metadata', write: asIs as (value: never) => Value, read: readMap },
  ingressConnectors: { attribute: 'ingress_connectors', ...TEXTS },
  egressConnectors: { attribute: 'egress_connectors', ...TEXTS },
  reservationId: { attribute: 'reservation_id', required: true, ...TEXT },
  requestHash: { attribute: 'request_hash', required: true, ...TEXT },
  createdAt: { attribute: 'created_at', required: true, ...TIME },
  updatedAt: { attribute: 'updated_at', required: true, ...TIME },
  expiresAt: { attribute: 'expires_at', required: true, ...NUMBER },
  lastAction: { attribute: 'last_action', required: true, ...TEXT, read: oneOf(ACTIONS) },
  lastRequestId: { attribute: 'last_request_id', required: true, ...TEXT },
  microvmId: { attribute: 'microvm_id', ...TEXT },
  endpointHost: { attribute: 'endpoint_host', ...TEXT },
  providerState: { attribute: 'provider_state', ...TEXT },
  startedAt: { attribute: 'started_at', ...TIME },
  terminatedAt: { attribute: 'terminated_at', ...TIME },
  lastObservedAt: { attribute: 'last_observed_at', ...TIME },
  errorCode: { attribute: 'error_code', ...TEXT },
  startSetup: { attribute: 'start_setup', write: JSON.stringify as (value: never) => Value, read: readStartSetup },
  startOutcome: { attribute: 'start_outcome', ...TEXT, read: oneOf(['unknown']) },
};

function toAttributes(record: Partial<SessionRecord>): Record<string, Value> {
  const attributes: Record<string, Value> = {};
  for (const [name, column] of Object.entries(COLUMNS)) {
    const value = record[name as keyof SessionRecord];
    if (value !== undefined) attributes[column.attribute] = column.write(value as never);
  }
  if (record.expiresAt !== undefined) attributes.ttl = record.expiresAt;
  return attributes;
}

/** The session's partition in the index of pending sessions; `undefined` if its machine is known or never existed. */
export function pendingOf({ state, startOutcome, microvmId }: SessionRecord): PendingRequest['kind'] | undefined {
  if (state === 'requested') return 'requested';
  return startOutcome === 'unknown' && microvmId === undefined ? 'unknown' : undefined;
}

/** The row of a record. */
export function toRow(record: SessionRecord): Item & Key {
  const pending = pendingOf(record);
  return { ...toAttributes(record), ...(pending && { pending }), ...keyOf(record) };
}

/** The update of a row. If the outcome of a start is known, the session is removed from the index of pending sessions, and the start's input is deleted. */
export function toChanges(record: SessionRecord, changes: SessionChanges): Changes {
  const set = toAttributes({ ...changes, version: record.version + 1 });
  const before = pendingOf(record);
  const after = pendingOf({ ...record, ...changes });
  if (before === after) return { set };
  return after === undefined ? { set, remove: ['pending', 'start_setup'] } : { set: { ...set, pending: after } };
}

/** The record of a row; `undefined` if a member is missing or invalid, or its names do not match its key. */
export function parseRow(row: Item): SessionRecord | undefined {
  const record: Record<string, unknown> = {};
  for (const [name, { attribute, required, read }] of Object.entries(COLUMNS)) {
    const stored = row[attribute];
    const value = stored === undefined ? undefined : read(stored);
    if (value === undefined && (required || stored !== undefined)) return undefined;
    if (value !== undefined) record[name] = value;
  }
  const parsed = record as unknown as SessionRecord;
  const { pk, sk } = keyOf(parsed);
  return row.pk === pk && row.sk === sk && row.ttl === parsed.expiresAt ? parsed : undefined;
}

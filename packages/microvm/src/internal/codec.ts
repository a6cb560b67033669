import type { MicrovmSessionView } from '../controller/types.js';
import type { SessionRecord } from '../registry/registry.js';

/** Members whose names are set by the caller and not converted. */
const OPAQUE = new Set(['metadata']);

/** Converts names to snake_case: `sessionId` becomes `session_id`. Omits `undefined` members. */
export function toWire(value: unknown): unknown {
  return convert(value, wireName);
}

/** Converts a name to snake_case. */
export function wireName(name: string): string {
  return name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function convert(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => convert(item, rename));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(
    entries.map(([name, member]) => [rename(name), OPAQUE.has(name) ? member : convert(member, rename)]),
  );
}

/** A session in responses: without endpoint, role, connectors and client token. */
export function toView(record: SessionRecord): MicrovmSessionView {
  const { sessionId, state, desiredState, providerState, microvmId, imageRef, imageVersion, metadata } = record;
  const view = {
    sessionId,
    state,
    desiredState,
    providerState,
    providerMicrovmId: microvmId,
    imageRef,
    imageVersion,
    registryVersion: record.version,
    createdAt: iso(record.createdAt),
    updatedAt: iso(record.updatedAt),
    expiresAt: iso(record.expiresAt * 1000),
    startedAt: record.startedAt === undefined ? undefined : iso(record.startedAt),
    terminatedAt: record.terminatedAt === undefined ? undefined : iso(record.terminatedAt),
    metadata,
  };
  return Object.fromEntries(
    Object.entries(view).filter(([, value]) => value !== undefined),
  ) as unknown as MicrovmSessionView;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

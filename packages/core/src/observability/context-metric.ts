import type { Context } from '../context/context.js';
import { stateOf } from '../context/request-context.js';
import { sanitizeLogString } from '../sanitize/log-text.js';
import { guardHook } from './hooks.js';

/** An occurrence within a request. */
export interface Counted {
  /** The name of the record: `framework.call`. */
  readonly name: string;
  /** Tags with few values. */
  readonly tags: Readonly<Record<string, string>>;
  /** Milliseconds that it took. */
  readonly durationMs?: number;
}

/** True if the container of a context has a metric hook. */
export function hasMetricHook(ctx: Context): boolean {
  return stateOf(ctx).runtime.observability?.metric !== undefined;
}

/** Passes one record of the framework to the metric hook of the container. Never throws. */
export function countIn(ctx: Context, { name, tags, durationMs }: Counted): void {
  guardHook(() => {
    const state = stateOf(ctx);
    const { observability } = state.runtime;
    if (!observability?.metric) return;
    const record = {
      name,
      value: 1,
      ...(durationMs !== undefined && { duration_ms: Math.round(durationMs * 1000) / 1000 }),
      tags,
      properties: { request_id: idText(state.requestId), tenant_id: idText(state.tenantId) },
    };
    guardHook(observability.metric, record, () => state);
  });
}

/** `recordText` of `records.ts`, whose spans a bundle without hooks does not need. */
function idText(id: string): string {
  return sanitizeLogString(id).slice(0, 256);
}

/** The members of an event that name a run of a scheduled workload, each of any type. */
export interface ScheduledEvent {
  readonly id?: unknown;
  readonly detail?: unknown;
}

/** What a run is called, and under which key it counts as one; `''` where nothing says so. */
export interface ScheduledRun {
  readonly runId: string;
  readonly idempotencyKey: string;
}

/**
 * Run id and idempotency key of a scheduled event: what its detail says, else its id, else the invocation's. The detail may
 * be JSON text, as EventBridge Scheduler sends it. Whoever names runs calls this, so that all agree.
 */
export function scheduledRun({ id, detail }: ScheduledEvent, awsRequestId: unknown): ScheduledRun {
  const own = objectPart(detail);
  const eventId = trimmedText(id);
  const requestId = trimmedText(awsRequestId);
  return {
    runId: trimmedText(own.run_id) || eventId || requestId,
    idempotencyKey:
      trimmedText(own.idempotency_key) || (eventId && `event-bus:${eventId}`) || (requestId && `lambda:${requestId}`),
  };
}

/** Text without the blanks around it; anything else `''`. */
export function trimmedText(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

/** An object, or the object that a JSON text stands for; anything else is empty. */
export function objectPart(value: unknown): Readonly<Record<string, unknown>> {
  const parsed = typeof value === 'string' ? parseQuietly(value) : value;
  return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
    ? (parsed as Record<string, unknown>)
    : NOTHING;
}

const NOTHING: Readonly<Record<string, unknown>> = /* @__PURE__ */ Object.freeze(Object.create(null));

function parseQuietly(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

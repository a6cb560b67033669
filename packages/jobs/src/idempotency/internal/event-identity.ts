import type { LambdaContext } from '@sallyport/core';
import { scheduledRun, trimmedText } from '@sallyport/core/pipeline';
import { sha256 } from '../../internal/keys.js';

/** The parts of events that name them. */
export interface LooseEvent {
  readonly messageId?: unknown;
  readonly Sns?: { readonly MessageId?: unknown } | null;
  readonly eventID?: unknown;
  readonly id?: unknown;
  readonly source?: unknown;
  readonly 'detail-type'?: unknown;
  readonly detailType?: unknown;
  readonly detail?: unknown;
  readonly resources?: unknown;
}

interface EventContext {
  readonly triggerKind: string;
  readonly source: { readonly name: string };
  readonly lambdaContext: LambdaContext | undefined;
}

const MAX_SCOPE_BYTES = 256;
const SCHEDULED = 'Scheduled Event';

/** What an event is called, and among what; a key of `''` is refused by the ledger. */
export function eventIdentity(ctx: EventContext, event: LooseEvent): { scope: string; key: string } {
  const { triggerKind: kind, source } = ctx;
  if (kind === 'queue') return named(`queue:${source.name}`, event?.messageId);
  if (kind === 'topic') return named(`topic:${source.name}`, event?.Sns?.MessageId);
  if (kind !== 'event-bus') return named(`${kind}:${source.name}`, event?.eventID);
  const detailType = trimmedText(event?.['detail-type']) || trimmedText(event?.detailType);
  if (detailType === SCHEDULED) {
    const { idempotencyKey } = scheduledRun(event, ctx.lambdaContext?.awsRequestId);
    return named(`schedule:${scheduleName(event)}`, idempotencyKey);
  }
  return named(`event-bus:${sourcePart(trimmedText(event?.source))}:${detailType}`, event?.id);
}

/** The colon separates source and detail type, so none may be left in the source. */
function sourcePart(source: string): string {
  return source.replaceAll('%', '%25').replaceAll(':', '%3A');
}

function named(scope: string, key: unknown): { scope: string; key: string } {
  const kind = scope.slice(0, scope.indexOf(':'));
  const short = Buffer.byteLength(scope) <= MAX_SCOPE_BYTES ? scope : `${kind}:sha256:${sha256(scope)}`;
  return { scope: short, key: trimmedText(key) };
}

/** The rule's or the schedule's name: the last part of its ARN. */
function scheduleName({ resources }: LooseEvent): string {
  const arn = Array.isArray(resources) ? trimmedText(resources[0]) : '';
  return arn.slice(arn.lastIndexOf('/') + 1);
}

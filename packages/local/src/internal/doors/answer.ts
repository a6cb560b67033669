import {
  type ClientAnswer,
  type ClientAnswerOptions,
  clientAnswer,
  clientFailure,
  type DoorFailure,
  type HttpDoorKind,
} from '@sallyport/testkit/events';
import { DOOR_REJECTED } from '../journal/failure.js';
import type { FailureReason, InvokeOutcome } from '../runtime/invoker.js';
import type { DoorHost } from './request.js';

const FAILURES: Partial<Record<FailureReason, DoorFailure>> = { throttled: 'throttled' };

/** The response of a door to its client. */
export function toClientAnswer(kind: HttpDoorKind, outcome: InvokeOutcome, options: ClientAnswerOptions): ClientAnswer {
  if (outcome.ok) return clientAnswer(kind, outcome.answer, options);
  const { reason, error } = outcome;
  if (reason !== 'build') return clientFailure(kind, FAILURES[reason] ?? 'error');
  const body = JSON.stringify({ error: { code: 'local.build_failed', message: error.errorMessage } });
  return { status: 502, headers: [['content-type', 'application/json']], body: Buffer.from(body) };
}

/** A message for the developer if the door rejected the function's response. */
export function refusalText({ refused }: ClientAnswer, host: Pick<DoorHost, 'inspection'>): string | undefined {
  if (refused === undefined) return undefined;
  const why = host.inspection().streaming
    ? 'the handler streams, and this door requires a buffered response: use the function URL, or the REST API with --rest-stream'
    : refused;
  return `${DOOR_REJECTED}: ${why}`;
}

import { objectPart, trimmedText } from '@sallyport/core/pipeline';
import type { LooseRecord } from '../../sources/internal/loose-record.js';

const MAX_ID = 256;
const CONTROL = /\p{Cc}/u;

/** What joins an event to the work that it belongs to, and which field said so. */
export interface Correlation {
  readonly id: string;
  readonly source: string;
}

/**
 * The correlation of an event-bus event: the first usable of its metadata, headers, detail, its own id and the invocation's.
 * Usable are 1 to 256 characters without a control character.
 */
export function correlationOf(event: LooseRecord, awsRequestId: unknown): Correlation {
  const headers = objectPart(event.headers);
  const candidates: (readonly [string, unknown])[] = [
    ['metadata.correlation_id', objectPart(event.metadata).correlation_id],
    ...Object.keys(headers)
      .filter((name) => name.toLowerCase() === 'x-correlation-id')
      .flatMap((name) => [headers[name]].flat())
      .map((value) => ['headers.x-correlation-id', value] as const),
    ['detail.correlation_id', objectPart(event.detail).correlation_id],
    ['event.id', event.id],
    ['lambda.aws_request_id', awsRequestId],
  ];
  for (const [source, value] of candidates) {
    const id = trimmedText(value);
    if (isUsable(id)) return { id, source };
  }
  return { id: '', source: '' };
}

function isUsable(id: string): boolean {
  return (
    id !== '' && !CONTROL.test(id) && (id.length <= MAX_ID || (id.length <= MAX_ID * 2 && [...id].length <= MAX_ID))
  );
}

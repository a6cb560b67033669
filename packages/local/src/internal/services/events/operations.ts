import type { EventBusOptions } from '@sallyport/testkit/events';
import { nameIn } from '../../aws/names.js';
import { type AwsService, type Call, defineService, entriesOf, type Input, optionalText } from '../../aws/service.js';
import { AwsFault } from '../../aws/wire.js';

/** The default bus of every account. */
export const DEFAULT_BUS = 'default';
const MAX_ENTRIES = 10;

/** Puts an event on a bus. @returns its id */
export type PutEvent = (bus: string, options: EventBusOptions, traceId?: string) => string;

/** EventBridge: https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html. */
export function createEvents(put: PutEvent): AwsService {
  return defineService(
    { protocol: 'json-1.1' },
    {
      PutEvents(input, call) {
        const entries = entriesOf(input, 'Entries');
        if (entries.length === 0 || entries.length > MAX_ENTRIES) {
          throw new AwsFault(400, 'ValidationException', `Entries must have 1 to ${MAX_ENTRIES} members`);
        }
        const Entries = entries.map((entry) => toResult(put, entry, call));
        return { FailedEntryCount: Entries.filter((entry) => 'ErrorCode' in entry).length, Entries };
      },
    },
  );
}

function toResult(put: PutEvent, entry: Input, { traceId }: Call): Readonly<Record<string, string>> {
  const [source, detailType] = [optionalText(entry, 'Source') ?? '', optionalText(entry, 'DetailType') ?? ''];
  for (const [name, value] of Object.entries({ Source: source, DetailType: detailType })) {
    if (value === '')
      return {
        ErrorCode: 'InvalidArgument',
        ErrorMessage: `Parameter ${name} is not valid. Reason: ${name} is a required argument.`,
      };
  }
  const detail = objectIn(optionalText(entry, 'Detail') ?? '');
  if (!detail) return { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' };
  const resources = Array.isArray(entry.Resources) ? entry.Resources.map(String) : [];
  const time = typeof entry.Time === 'number' ? { time: new Date(entry.Time * 1000) } : {};
  const bus = nameIn(optionalText(entry, 'EventBusName') ?? DEFAULT_BUS);
  const trace = optionalText(entry, 'TraceHeader') ?? traceId;
  return { EventId: put(bus, { source, detailType, detail, resources, ...time }, trace) };
}

function objectIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
